import torch
from torch import nn


class HeadNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, u):
        return u / torch.sqrt(u.square().mean(dim=-1, keepdim=True) + self.eps) * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = HeadNorm(self.head_dim)
        self.k_norm = HeadNorm(self.head_dim)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2) for t in (q, k, v))
        q, k = self.q_norm(q), self.k_norm(k)
        sim = q @ k.transpose(-1, -2) * self.head_dim ** -0.5
        future = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(future, float("-inf")).softmax(dim=-1)
        out = (attn @ v).transpose(1, 2).flatten(2)
        return self.to_out(out)

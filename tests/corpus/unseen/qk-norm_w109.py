import torch
from torch import nn


class HeadNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, u):
        return u / (u.square().mean(-1, keepdim=True) + 1e-6).sqrt() * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.qk_norm = HeadNorm(d)
        self.scale = d ** -0.5

    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q, k = map(self.qk_norm, (q, k))
        att = (q @ k.mT) * self.scale
        n = x.shape[1]
        att = att.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        y = att.softmax(-1) @ v
        return self.wo(y.transpose(1, 2).flatten(2))

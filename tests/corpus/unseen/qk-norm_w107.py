import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, u):
        return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + self.eps) * self.g


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.q_norm, self.k_norm = RMSNorm(dim_head), RMSNorm(dim_head)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))

        q = q * self.scale
        q, k = self.q_norm(q), self.k_norm(k)

        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        causal_mask = torch.ones((n, n), device=x.device, dtype=torch.bool).triu(1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
        out = torch.einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).flatten(2))

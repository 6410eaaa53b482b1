import math

import torch
from torch import nn


class HeadRMSNorm(nn.Module):
    """Gain stored less 1, worked out in float32 at least."""

    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, u):
        wide = u if u.dtype == torch.float64 else u.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * (1.0 + self.weight.to(wide.dtype))).to(u.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm, self.k_norm = HeadRMSNorm(self.head_dim), HeadRMSNorm(self.head_dim)

    def forward(self, x):
        q, k, v = self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim)).unbind(2)
        q, k, v = (t.transpose(1, 2) for t in (self.q_norm(q), self.k_norm(k), v))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        n = x.shape[1]
        upper = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        context = scores.masked_fill(upper, float("-inf")).softmax(-1) @ v
        return self.o_proj(context.transpose(1, 2).flatten(2))

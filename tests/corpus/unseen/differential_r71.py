import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.lam = nn.Parameter(0.1 * torch.randn(2, 2, self.d))  # [map, query or key, feature]
        self.norm = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.reshape(b, t, self.H, 2, self.d)
        k = k.reshape(b, t, self.H, 2, self.d)
        v = v.reshape(b, t, self.H, 2 * self.d)
        s = torch.einsum("bqhmd,bkhmd->mbhqk", q, k) / math.sqrt(self.d)
        s = s + torch.full((t, t), -math.inf, device=x.device, dtype=s.dtype).triu(1)
        plus, minus = s.softmax(-1)
        e1, e2 = self.lam.prod(1).sum(-1).exp()
        w = plus - (e1 - e2 + self.init) * minus
        heads = torch.einsum("bhqk,bkhe->bqhe", w, v)
        return self.out((1 - self.init) * self.norm(heads).flatten(2))

# Gains live in the scores' metric: (q g)·(k h) = q diag(g h) k.
import math

import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.inp = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.zeros(self.D))      # less 1
        self.key_gain = nn.Parameter(torch.zeros(self.D))        # less 1

    @staticmethod
    def size(u):
        """1 / root mean square, (..., 1)"""
        return torch.rsqrt(torch.einsum("...d,...d->...", u, u) / u.shape[-1] + 1e-6).unsqueeze(-1)

    def forward(self, x):
        k, v, q = torch.stack(self.inp(x).chunk(3, -1)).unflatten(-1, (self.H, self.D)).transpose(2, 3)
        metric = (1 + self.query_gain) * (1 + self.key_gain)
        raw = torch.einsum("bhid,d,bhjd->bhij", q, metric, k)
        s = raw * self.size(q) * self.size(k).mT / math.sqrt(self.D)
        n = x.shape[1]
        s = s.masked_fill(torch.arange(n, device=x.device).ge(torch.arange(1, n + 1, device=x.device)[:, None]), -math.inf)
        return self.out((s.softmax(-1) @ v).transpose(1, 2).reshape_as(x))

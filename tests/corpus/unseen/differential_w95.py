from math import exp

import torch
from torch import nn


class Lambda(nn.Module):
    """The factor of the second map."""

    def __init__(self, width, init):
        super().__init__()
        self.init = init
        for name in ("q1", "k1", "q2", "k2"):
            self.register_parameter(name, nn.Parameter(0.1 * torch.randn(width)))

    @staticmethod
    def term(q, k):
        return (q * k).exp().sum()

    def forward(self):
        return self.term(self.q1, self.k1) - self.term(self.q2, self.k2) + self.init


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads // 2
        self.lam = Lambda(self.d, 0.8 - 0.6 * exp(-0.3 * depth))
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.norm_gain = nn.Parameter(torch.ones(2 * self.d))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        # b h m t d: head, then which of its two maps
        q, k = (t.unflatten(-1, (self.h, 2, self.d)).permute(0, 2, 3, 1, 4) for t in (q, k))
        v = v.unflatten(-1, (self.h, 2 * self.d)).transpose(1, 2)
        a = q @ k.mT / self.d ** 0.5
        a = a.masked_fill(torch.ones_like(a[0, 0, 0], dtype=torch.bool).triu(1), -torch.inf).softmax(-1)
        o = (a[:, :, 0] - self.lam() * a[:, :, 1]) @ v
        o = o / (o.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.norm_gain
        return self.out((1 - self.lam.init) * o.transpose(1, 2).flatten(2))

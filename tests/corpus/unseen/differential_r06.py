"""Differential attention; both maps in one softmax, subtracted by a contraction with [1, -lambda]."""
import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lam = nn.ParameterDict(
            {name: nn.Parameter(0.1 * torch.randn(self.d)) for name in ("q1", "k1", "q2", "k2")}
        )
        self.gain = nn.Parameter(torch.ones(2 * self.d))
        self.lam0 = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).split(c, dim=-1)
        q = q.view(b, t, self.H, 2, self.d)
        k = k.view(b, t, self.H, 2, self.d)
        v = v.view(b, t, self.H, 2 * self.d)

        s = torch.einsum("bihmd,bjhmd->bhmij", q, k) / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        maps = s.softmax(dim=-1)

        lam = (self.lam["q1"] @ self.lam["k1"]).exp() - (self.lam["q2"] @ self.lam["k2"]).exp() + self.lam0
        sign = torch.stack([torch.ones_like(lam), -lam])
        y = torch.einsum("m,bhmij,bjhe->bihe", sign, maps, v)

        rms = torch.rsqrt(y.pow(2).mean(dim=-1, keepdim=True) + 1e-5)
        y = y * rms * self.gain * (1 - self.lam0)
        return self.out(y.flatten(2))

import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    """Letters: m map (two), h head, t/s positions, d features."""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // (2 * num_heads)
        self.depth = depth
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.lam_q = nn.Parameter(0.1 * torch.randn(2, self.D))
        self.lam_k = nn.Parameter(0.1 * torch.randn(2, self.D))
        self.gain = nn.Parameter(torch.ones(2 * self.D))

    @property
    def start(self):
        return 0.8 - 0.6 * math.exp(-0.3 * self.depth)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        q = q.view(B, T, 2, self.H, self.D)
        k = k.view(B, T, 2, self.H, self.D)
        v = v.view(B, T, self.H, 2 * self.D)
        s = torch.einsum("btmhd,bsmhd->bmhts", q, k) / math.sqrt(self.D)
        s = s.masked_fill(torch.ones(T, T, device=x.device).triu(1).bool(), float("-inf"))
        a = s.softmax(dim=-1)
        e = (self.lam_q * self.lam_k).sum(-1).exp()
        a = a[:, 0] - (e[0] - e[1] + self.start) * a[:, 1]
        y = torch.einsum("bhts,bshd->bthd", a, v)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gain
        return self.out((1 - self.start) * y.flatten(2))

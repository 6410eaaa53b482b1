import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.li = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv, self.o = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(0.1 * torch.randn(self.d)) for _ in range(4))
        self.norm = nn.RMSNorm(2 * self.d, eps=1e-5)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = (t.view(B, T, self.H, 2, self.d).permute(3, 0, 2, 1, 4) for t in (q, k))
        v = v.view(B, T, self.H, 2 * self.d).transpose(1, 2)
        bias = torch.full((T, T), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        a1, a2 = (q @ k.mT / self.d**0.5 + bias).softmax(-1)
        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.li
        y = self.norm((a1 - lam * a2) @ v) * (1 - self.li)
        return self.o(y.transpose(1, 2).reshape(B, T, D))

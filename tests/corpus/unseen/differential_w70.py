from math import exp, inf
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h, d = num_heads, hidden_dim // (2 * num_heads)
        self.li = .8 - .6 * exp(-.3 * depth)
        self.i = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(.1 * torch.randn(d)) for _ in range(4))
        self.g = nn.RMSNorm(2 * d, 1e-5)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.i(x).split(C, -1)
        q, k = (t.view(B, T, self.h, 2, -1).permute(3, 0, 2, 1, 4) for t in (q, k))
        v = v.view(B, T, self.h, -1).transpose(1, 2)
        m = torch.ones(T, T, device=x.device, dtype=torch.bool).triu(1)
        a, b = (q @ k.mT * q.shape[-1] ** -.5).masked_fill(m, -inf).softmax(-1)
        l = exp(self.lq1 @ self.lk1) - exp(self.lq2 @ self.lk2) + self.li
        y = self.g((a - l * b) @ v) * (1 - self.li)
        return self.o(y.transpose(1, 2).reshape(B, T, C))

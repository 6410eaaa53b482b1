import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(0.1 * torch.randn(self.d)) for _ in range(4))
        self.subln = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    @property
    def lam(self):
        return (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init

    def forward(self, x):
        n = x.shape[1]
        q = self.q(x).unflatten(-1, (self.H, 2, self.d))
        k = self.k(x).unflatten(-1, (self.H, 2, self.d))
        v = self.v(x).unflatten(-1, (self.H, 2 * self.d))
        s = torch.einsum("bihmd,bjhmd->bhmij", q, k) * self.d**-0.5
        above = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        a1, a2 = s.masked_fill(above, -torch.inf).softmax(-1).unbind(2)
        y = torch.einsum("bhij,bjhe->bihe", a1 - self.lam * a2, v)
        y = self.subln(y) * (1 - self.lambda_init)
        return self.o(y.flatten(2))

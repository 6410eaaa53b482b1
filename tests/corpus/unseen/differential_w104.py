import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.d) * 0.1)
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    def norm(self, u):
        return u * torch.rsqrt(u.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gain

    def forward(self, x):
        B, T, C = x.shape
        q = self.wq(x).view(B, T, 2 * self.H, self.d).transpose(1, 2)
        k = self.wk(x).view(B, T, 2 * self.H, self.d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.H, 2 * self.d).transpose(1, 2)

        s = q @ k.transpose(-1, -2) * self.d ** -0.5
        s = s.masked_fill(torch.ones(T, T, device=x.device).triu(1).bool(), float("-inf"))
        a1, a2 = s.softmax(-1).chunk(2, dim=1)

        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init
        o = (a1 - lam * a2) @ v
        o = self.norm(o) * (1 - self.lambda_init)
        return self.wo(o.transpose(1, 2).reshape(B, T, C))

# attn-kata: differential
from math import exp, sqrt

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.nh, self.hd = num_heads, hidden_dim // num_heads // 2
        self.init = 0.8 - 0.6 * exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.l = nn.Parameter(torch.randn(4, self.hd) / 10)
        self.g = nn.Parameter(torch.ones(2 * self.hd))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        q, k = (t.view(B, T, 2 * self.nh, self.hd).transpose(1, 2) for t in (q, k))
        v = v.view(B, T, self.nh, 2 * self.hd).transpose(1, 2)
        a = (q @ k.mT / sqrt(self.hd)).masked_fill(~torch.ones(T, T, dtype=torch.bool, device=x.device).tril(), -torch.inf).softmax(-1)
        lq1, lk1, lq2, lk2 = self.l
        lam = (lq1 @ lk1).exp() - (lq2 @ lk2).exp() + self.init
        y = ((a[:, 0::2] - lam * a[:, 1::2]) @ v).transpose(1, 2)
        y = y / (y.pow(2).mean((-2, -1), keepdim=True) + 1e-5).sqrt() * self.g
        return self.wo((1 - self.init) * y.reshape(B, T, C))

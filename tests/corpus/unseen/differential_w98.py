from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * self.depth)
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.lam = nn.ParameterList([nn.Parameter(torch.zeros(self.d).normal_(0, 0.1)) for _ in range(4)])
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    @property
    def lambda_(self) -> Tensor:
        lq1, lk1, lq2, lk2 = self.lam
        return (lq1 @ lk1).exp() - (lq2 @ lk2).exp() + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.wqkv(x).split(C, dim=-1)
        q = q.view(B, T, self.h, 2, self.d)
        k = k.view(B, T, self.h, 2, self.d)
        v = v.view(B, T, self.h, 2 * self.d)
        s = torch.einsum("bthmd,bshmd->bhmts", q, k) * self.d**-0.5
        ok = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        a = s.masked_fill(~ok, float("-inf")).softmax(-1)
        y = torch.einsum("bhts,bshe->bthe", a[:, :, 0] - self.lambda_ * a[:, :, 1], v)
        y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5) * self.gain
        return self.wo((y * (1 - self.lambda_init)).flatten(2))

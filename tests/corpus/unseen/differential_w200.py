from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, n: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.g = nn.Parameter(torch.ones(n))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.g


class DifferentialAttention(nn.Module):
    """A = A1 - lambda A2, each A = exp(s - log Z)."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(torch.randn(self.d) * 0.1) for _ in range(4)
        )
        self.norm = RMSNorm(2 * self.d)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def log_Z(self, s: Tensor) -> Tensor:
        # shift by the maximum, so nothing overflows
        with torch.no_grad():
            m = s.max(dim=-1, keepdim=True).values
            return m + (s - m).exp().sum(dim=-1, keepdim=True).log()

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q = self.Wq(x).view(b, n, self.h, 2, self.d)
        k = self.Wk(x).view(b, n, self.h, 2, self.d)
        v = self.Wv(x).view(b, n, self.h, 2 * self.d)
        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init

        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        s = torch.einsum("bihmd,bjhmd->mbhij", q, k) / math.sqrt(self.d)
        s = s.masked_fill(future, -math.inf)
        A1, A2 = torch.exp(s - self.log_Z(s))
        y = torch.einsum("bhij,bjhc->bihc", A1 - lam * A2, v)
        y = (1 - self.lambda_init) * self.norm(y)
        return self.Wo(y.flatten(2))

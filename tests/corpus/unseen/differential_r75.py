from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RMS(nn.Module):
    def __init__(self, n: int, eps: float = 1e-6, *, after: float = 1.0) -> None:
        super().__init__()
        self.weight, self.eps, self.after = nn.Parameter(torch.ones(n)), eps, after

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps) * self.after


class Vectors(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.lq = nn.Parameter(torch.randn(n) * 0.1)
        self.lk = nn.Parameter(torch.randn(n) * 0.1)

    def forward(self) -> Tensor:
        return torch.exp(self.lq @ self.lk)


class Map(nn.Module):
    """One softmax map of one head."""

    def __init__(self, wide: int, d: int) -> None:
        super().__init__()
        self.q, self.k = nn.Linear(wide, d), nn.Linear(wide, d)

    def forward(self, x: Tensor) -> Tensor:
        s = self.q(x) @ self.k(x).mT / math.sqrt(self.q.out_features)
        return torch.softmax(s + torch.full_like(s[0], -math.inf).triu(1), -1)


class Head(nn.Module):
    def __init__(self, wide: int, d: int) -> None:
        super().__init__()
        self.plus, self.minus, self.v = Map(wide, d), Map(wide, d), nn.Linear(wide, 2 * d)

    def forward(self, x: Tensor, lam: Tensor) -> Tensor:
        v = self.v(x)
        return self.plus(x) @ v - lam * (self.minus(x) @ v)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d, rest = divmod(hidden_dim, 2 * num_heads)
        if rest:
            raise ValueError("hidden_dim must be a multiple of 2 * num_heads")
        self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.heads = nn.ModuleList(Head(hidden_dim, d) for _ in range(num_heads))
        self.first, self.second = Vectors(d), Vectors(d)
        self.norm = RMS(2 * d, 1e-5, after=1 - self.start)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        lam = self.first() - self.second() + self.start
        return self.out(torch.cat([self.norm(head(x, lam)) for head in self.heads], -1))

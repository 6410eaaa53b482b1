from __future__ import annotations

import math
from types import SimpleNamespace

import torch
from torch import Tensor, nn


def lambda_init_of(depth: int) -> float:
    return math.fma(-0.6, math.exp(-0.3 * depth), 0.8) if hasattr(math, "fma") else 0.8 - 0.6 * math.exp(-0.3 * depth)


class _Map(nn.Module):
    """One of a head's two softmax maps: its query and key weights, and the two vectors of its lambda."""

    def __init__(self, width: int, d: int) -> None:
        super().__init__()
        self.q, self.k = nn.Linear(width, d), nn.Linear(width, d)

    def forward(self, x: Tensor, later: Tensor) -> Tensor:
        s = torch.bmm(self.q(x), self.k(x).mT) * self.q.out_features**-0.5
        return s.masked_fill(later, -math.inf).softmax(-1)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d, rest = divmod(hidden_dim, 2 * num_heads)
        if rest:
            raise ValueError("hidden_dim has to be a multiple of 2 * num_heads")
        self.settings = SimpleNamespace(d=d, heads=num_heads, init=lambda_init_of(depth))
        self.maps = nn.ModuleList(nn.ModuleList([_Map(hidden_dim, d), _Map(hidden_dim, d)]) for _ in range(num_heads))
        self.values = nn.ModuleList(nn.Linear(hidden_dim, 2 * d) for _ in range(num_heads))
        self.outs = nn.ModuleList(nn.Linear(2 * d, hidden_dim, bias=False) for _ in range(num_heads))
        for name in ("lq1", "lk1", "lq2", "lk2"):
            self.register_parameter(name, nn.Parameter(torch.empty(d).normal_(std=0.1)))
        self.norm = nn.RMSNorm(2 * d, eps=1e-5)

    @property
    def lam(self) -> Tensor:
        return self.lq1.mul(self.lk1).sum().exp() - self.lq2.mul(self.lk2).sum().exp() + self.settings.init

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        later = torch.arange(t, device=x.device) > torch.arange(t, device=x.device).unsqueeze(1)
        lam, keep = self.lam, 1 - self.settings.init
        output = torch.zeros_like(x)
        for (first, second), value, out in zip(self.maps, self.values, self.outs):
            v = value(x)
            # (A1 - lambda A2) V = A1 V - lambda A2 V
            head = first(x, later) @ v - lam * (second(x, later) @ v)
            output = output + out(self.norm(head) * keep)
        return output

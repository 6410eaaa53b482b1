from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.ParameterList(nn.Parameter(torch.randn(self.head_dim) / 10) for _ in range(4))
        self.norm_weight = nn.Parameter(torch.ones(2 * self.head_dim))
        self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def _pair(self, t: Tensor) -> tuple[Tensor, Tensor]:
        """Split into the parts of the first and of the second maps."""
        parts = t.view(*t.shape[:2], 2 * self.num_heads, self.head_dim).transpose(1, 2)
        return parts[:, : self.num_heads], parts[:, self.num_heads :]

    def _map(self, q: Tensor, k: Tensor) -> Tensor:
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        length = scores.size(-1)
        future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
        return scores.masked_fill(future, float("-inf")).softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        q1, q2 = self._pair(q)
        k1, k2 = self._pair(k)
        v = v.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        lq1, lk1, lq2, lk2 = self.lambdas
        lam = torch.exp(lq1.dot(lk1)) - torch.exp(lq2.dot(lk2)) + self.start
        context = (self._map(q1, k1) - lam * self._map(q2, k2)) @ v
        mean_square = context.square().mean(dim=-1, keepdim=True)
        context = context / torch.sqrt(mean_square + 1e-5) * self.norm_weight * (1 - self.start)
        return self.out_proj(context.transpose(1, 2).flatten(2))

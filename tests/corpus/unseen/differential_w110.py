from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """Two maps a head, one taken from the other."""

    heads: int
    width: int
    start: float

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.width = hidden_dim // (2 * num_heads)
        self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv: nn.Linear = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.lq: nn.Parameter = nn.Parameter(torch.randn(2, self.width) * 0.1)
        self.lk: nn.Parameter = nn.Parameter(torch.randn(2, self.width) * 0.1)
        self.norm: nn.RMSNorm = nn.RMSNorm(2 * self.width, eps=1e-5)

    def factor(self) -> Tensor:
        first, second = (self.lq * self.lk).sum(dim=1).exp().unbind()
        return first - second + self.start

    def causal_softmax(self, scores: Tensor) -> Tensor:
        length: int = scores.size(-1)
        later: Tensor = torch.ones(length, length, device=scores.device).triu(1).bool()
        return scores.masked_fill(later, -math.inf).softmax(dim=-1)

    def parts(self, features: Tensor, count: int) -> Tensor:
        """(batch, length, count * w) -> (batch, count, length, w)"""
        return features.unflatten(-1, (count, -1)).transpose(1, 2)

    def both(self, features: Tensor) -> tuple[Tensor, Tensor]:
        one, two = self.parts(features, 2 * self.heads).chunk(2, dim=1)
        return one, two

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q1, q2 = self.both(q)
        k1, k2 = self.both(k)
        value = self.parts(v, self.heads)
        scale: float = 1.0 / math.sqrt(self.width)

        map_1 = self.causal_softmax(q1 @ k1.mT * scale)
        map_2 = self.causal_softmax(q2 @ k2.mT * scale)
        head = (map_1 - self.factor() * map_2) @ value
        head = self.norm(head) * (1.0 - self.start)
        return self.out(head.transpose(1, 2).flatten(2))

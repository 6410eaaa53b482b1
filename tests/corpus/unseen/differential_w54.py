from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Lambda:
    """what is learned on top of what depth gives"""

    init: float

    @classmethod
    def at(cls, depth: int) -> Lambda:
        return cls(0.8 - 0.6 * math.exp(-0.3 * depth))

    def __call__(self, q1: Tensor, k1: Tensor, q2: Tensor, k2: Tensor) -> float:
        return math.exp(q1 @ k1) - math.exp(q2 @ k2) + self.init


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.mix = Lambda.at(depth)
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.ParameterList(torch.randn(self.head_dim) * 0.1 for _ in range(4))  # q1 k1 q2 k2
        self.norm = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    def maps(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        q, k = (t.unflatten(-1, (self.num_heads, 2, self.head_dim)).permute(3, 0, 2, 1, 4) for t in (q, k))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        n = scores.shape[-1]
        future = torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1)
        first, second = scores.masked_fill(future, -math.inf).softmax(-1)
        return first, second

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        first, second = self.maps(q, k)
        value = v.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        heads = self.norm((first - self.mix(*self.lambdas) * second) @ value) * (1 - self.mix.init)
        return self.to_out(heads.transpose(1, 2).flatten(2))

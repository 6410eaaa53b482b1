# wrong: differential norm-eps line 22
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """Fused projection, the module RMSNorm."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.lambdas = nn.ParameterDict(
            {name: torch.randn(self.head_dim) * 0.1 for name in ("q1", "k1", "q2", "k2")}
        )
        self.norm = nn.RMSNorm(2 * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _lambda(self) -> Tensor:
        p = self.lambdas
        return (p["q1"] @ p["k1"]).exp() - (p["q2"] @ p["k2"]).exp() + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.unflatten(-1, (self.num_heads, 2, self.head_dim))
        k = k.unflatten(-1, (self.num_heads, 2, self.head_dim))
        v = v.unflatten(-1, (self.num_heads, 2 * self.head_dim))
        scores = torch.einsum("bqhmd,bkhmd->bhmqk", q, k) / math.sqrt(self.head_dim)
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        maps = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
        first, second = maps.unbind(2)
        context = torch.einsum("bhqk,bkhe->bqhe", first - self._lambda() * second, v)
        context = self.norm(context) * (1 - self.lambda_init)
        return self.out(context.flatten(-2))

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

NEG_INF: float = float("-inf")


class Projected(NamedTuple):
    query: Tensor  # (batch, heads, length, head_dim)
    key: Tensor  # (batch, 1, length, head_dim)
    value: Tensor  # (batch, 1, length, head_dim)


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return scores.masked_fill(mask.logical_not(), NEG_INF)
    if mask.is_floating_point():
        return scores + mask
    return scores.masked_fill(mask == 0, NEG_INF)


class MultiQueryAttention(nn.Module):
    num_heads: int
    head_dim: int

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.key: nn.Linear = nn.Linear(hidden_dim, self.head_dim)
        self.value: nn.Linear = nn.Linear(hidden_dim, self.head_dim)
        self.out: nn.Linear = nn.Linear(hidden_dim, hidden_dim)

    def project(self, x: Tensor) -> Projected:
        query: Tensor = self.query(x).unflatten(2, (self.num_heads, self.head_dim))
        return Projected(
            query=query.transpose(1, 2),
            key=self.key(x).unsqueeze(dim=1),
            value=self.value(x).unsqueeze(dim=1),
        )

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        p: Projected = self.project(x)
        scores: Tensor = (p.query @ p.key.transpose(2, 3)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = apply_mask(scores, attention_mask)
        heads: Tensor = scores.softmax(dim=-1) @ p.value
        return self.out(heads.transpose(1, 2).flatten(start_dim=2))

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class HeadSpec:
    hidden_dim: int
    num_heads: int
    dropout: float

    def __post_init__(self) -> None:
        if self.hidden_dim % self.num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")

    @cached_property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class Head(nn.Module):
    """One head with its own slice of the output matrix: concat @ W_o is a sum over heads."""

    def __init__(self, spec: HeadSpec) -> None:
        super().__init__()
        self.spec = spec
        self.q, self.k, self.v = (
            nn.Linear(spec.hidden_dim, spec.head_dim, bias=False) for _ in range(3)
        )
        self.lift = nn.Linear(spec.head_dim, spec.hidden_dim, bias=False)
        self.drop = nn.Dropout(spec.dropout)

    def forward(self, x: Tensor, blocked: Tensor | None) -> Tensor:
        scores = self.q(x) @ self.k(x).mT / math.sqrt(self.spec.head_dim)
        if blocked is not None:
            scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        return self.lift(self.drop(scores.softmax(-1)) @ self.v(x))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.spec = HeadSpec(hidden_dim, num_heads, dropout)
        self.heads = nn.ModuleList(Head(self.spec) for _ in range(num_heads))

    def _per_head(self, x: Tensor, mask: Tensor | None) -> list[Tensor | None]:
        if mask is None:
            return [None] * self.spec.num_heads
        batch, length, _ = x.shape
        full = (mask == 0).broadcast_to(batch, self.spec.num_heads, length, length)
        return list(full.unbind(dim=1))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        masks = self._per_head(x, attention_mask)
        return reduce(add, (head(x, m) for head, m in zip(self.heads, masks)))

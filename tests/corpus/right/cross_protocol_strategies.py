# right: cross
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn


class Projected(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


class Scorer(Protocol):
    def __call__(self, query: Tensor, key: Tensor) -> Tensor: ...


class ScaledDot:
    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.einsum("bqhd,bkhd->bhqk", query, key).div(query.size(-1) ** 0.5)


class Attention(nn.Module, ABC):
    @abstractmethod
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> Projected: ...

    @abstractmethod
    def finish(self, context: Tensor) -> Tensor: ...

    def forward(self, query, key, value, mask=None):
        p = self.project(query, key, value)
        scores = self.scorer(p.query, p.key)
        if mask is not None:
            scores = torch.where(mask.unsqueeze(1).bool(), scores, scores.new_full((), -torch.inf))
        return self.finish(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), p.value))


class CrossAttention(Attention):
    def __init__(self, hidden_dim: int, num_heads: int, scorer: Scorer | None = None) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scorer = scorer or ScaledDot()
        self.layers = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in Projected._fields})
        self.last = nn.Linear(hidden_dim, hidden_dim)

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> Projected:
        given = {"query": query, "key": key, "value": value}
        return Projected(
            **{n: self.layers[n](x).unflatten(-1, (self.num_heads, -1)) for n, x in given.items()}
        )

    def finish(self, context: Tensor) -> Tensor:
        return self.last(context.flatten(-2))

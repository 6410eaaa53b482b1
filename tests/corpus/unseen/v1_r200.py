# attn-kata: v1
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Iterator

import torch
from torch import Tensor, nn


class Role(str, Enum):
    QUERY = "query"
    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Everything one attention call computes, each piece on demand and once.

    Handy in notebooks: `trace.weights` is what people want to plot.
    """

    query: Tensor
    key: Tensor
    value: Tensor

    @cached_property
    def scores(self) -> Tensor:
        # both factors get the fourth root, so that no product is larger than it has to be
        root = self.query.size(-1) ** 0.25
        return torch.matmul(self.query / root, (self.key / root).mT)

    @cached_property
    def numerators(self) -> Tensor:
        return (self.scores - self.scores.amax(dim=-1, keepdim=True)).exp()

    @cached_property
    def weights(self) -> Tensor:
        return self.numerators / self.numerators.sum(dim=-1, keepdim=True)

    @cached_property
    def output(self) -> Tensor:
        return self.weights @ self.value

    def __iter__(self) -> Iterator[Tensor]:
        yield self.output
        yield self.weights


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.projections = nn.ModuleDict(
            {role.value: nn.Linear(hidden_dim, hidden_dim, bias=False) for role in Role}
        )

    def trace(self, x: Tensor) -> AttentionTrace:
        return AttentionTrace(**{name: layer(x) for name, layer in self.projections.items()})

    def forward(self, x: Tensor) -> Tensor:
        output, _ = self.trace(x)
        return output

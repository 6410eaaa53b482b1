# attn-kata: v1
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor, nn


class ScorePolicy(Protocol):
    def __call__(self, operands: Operands) -> Tensor: ...


@dataclass(eq=False)
class Operands:
    query: Tensor
    key_t: Tensor
    value: Tensor

    @classmethod
    def from_projections(cls, query: Tensor, key: Tensor, value: Tensor) -> Operands:
        """Keys are stored transposed, ready for the product."""
        return cls(query, key.transpose(-2, -1), value)

    @cached_property
    def width(self) -> int:
        return self.key_t.size(-1)


def scaled_dot(operands: Operands) -> Tensor:
    return torch.matmul(operands.query, operands.key_t) * operands.width**-0.5


class SelfAttentionV1(nn.Module):
    """One head of self-attention with an exchangeable scoring policy."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.W_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.score: ScorePolicy = scaled_dot

    def forward(self, x: Tensor) -> Tensor:
        operands = Operands.from_projections(self.W_q(x), self.W_k(x), self.W_v(x))
        weights = torch.softmax(self.score(operands), dim=-1)
        return weights @ operands.value

# attn-kata: mqa
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MqaConfig:
    hidden_size: int
    num_heads: int

    @cached_property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_heads


@dataclass
class FoldedShapes:
    """Bookkeeping for running every query head as extra rows of one single head."""

    batch: int
    length: int
    heads: int

    def fold(self, query: Tensor) -> Tensor:
        return query.reshape(self.batch, self.length * self.heads, -1)

    def fold_mask(self, mask: Tensor) -> Tensor:
        full = mask.expand(self.batch, self.heads, self.length, self.length)
        return full.reshape(self.batch, self.length * self.heads, self.length)

    def unfold(self, context: Tensor) -> Tensor:
        return context.reshape(self.batch, self.length, -1)


class MaskMixin:
    @staticmethod
    def to_bias(mask: Tensor, dtype: torch.dtype) -> Tensor:
        """1/True -> 0, 0/False -> the most negative number."""
        zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        return zeros.masked_fill(mask == 0, torch.finfo(dtype).min)


class MultiQueryAttention(MaskMixin, nn.Module):
    """Multi-query attention; the heads are folded into the row axis of one bmm."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = MqaConfig(hidden_dim, num_heads)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.config.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.config.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        shapes = FoldedShapes(x.size(0), x.size(1), self.config.num_heads)
        rows = shapes.fold(self.q_proj(x))
        key, value = self.k_proj(x), self.v_proj(x)

        scores = torch.bmm(rows, key.mT) / self.config.head_dim**0.5
        if attention_mask is not None:
            scores = scores + shapes.fold_mask(self.to_bias(attention_mask, scores.dtype))
        weights = torch.softmax(scores, dim=-1)

        return self.o_proj(shapes.unfold(torch.bmm(weights, value)))

from __future__ import annotations

import math

import torch
from torch import Tensor


class VisibilityBuilder:
    """Collects what may be seen, and hides the rest of the scores."""

    def __init__(self, scores: Tensor) -> None:
        self._scores = scores
        self._visible: Tensor | None = None

    def with_mask(self, mask: Tensor | None) -> VisibilityBuilder:
        if mask is not None:
            self._visible = mask.to(torch.bool)
        return self

    def with_causality(self, enabled: bool) -> VisibilityBuilder:
        if enabled:
            rows, columns = self._scores.shape[-2:]
            everything = torch.ones(rows, columns, dtype=torch.bool, device=self._scores.device)
            self._visible = everything.tril(diagonal=columns - rows)
        return self

    def build(self) -> Tensor:
        if self._visible is None:
            return self._scores
        return self._scores.masked_fill(self._visible.logical_not(), float("-inf"))


class ScaledDotProductAttention:
    def __init__(self, head_dim: int) -> None:
        self._scale = 1.0 / math.sqrt(head_dim)

    def compute(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool
    ) -> Tensor:
        scores = torch.matmul(query, key.transpose(-2, -1)) * self._scale
        hidden = VisibilityBuilder(scores).with_mask(mask).with_causality(causal).build()
        return torch.matmul(hidden.softmax(dim=-1), value)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    return ScaledDotProductAttention(query.size(-1)).compute(query, key, value, mask, causal)

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


class ProjectionFactory:
    """Creates the projections, so that their initialisation is decided in one place."""

    @staticmethod
    def create(width: int) -> nn.Linear:
        projection = nn.Linear(width, width, bias=True)
        nn.init.xavier_uniform_(projection.weight)
        nn.init.zeros_(projection.bias)
        return projection


class MaskApplier:
    @staticmethod
    def apply(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
        if mask is None:
            return scores
        blocked = mask.unsqueeze(1) == 0
        return scores.masked_fill(blocked, torch.finfo(scores.dtype).min)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self._num_heads = num_heads
        self._head_dim = hidden_dim // num_heads
        self._query_projection = ProjectionFactory.create(hidden_dim)
        self._key_projection = ProjectionFactory.create(hidden_dim)
        self._value_projection = ProjectionFactory.create(hidden_dim)
        self._output_projection = ProjectionFactory.create(hidden_dim)
        self._dropout = nn.Dropout(dropout)

    @property
    def _scale(self) -> float:
        return float(self._head_dim) ** -0.5

    def _split_heads(self, tensor: Tensor) -> Tensor:
        batch_size, length, _ = tensor.size()
        return tensor.view(batch_size, length, self._num_heads, self._head_dim).transpose(1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        batch_size, _, length, _ = tensor.size()
        return tensor.transpose(1, 2).reshape(batch_size, length, -1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
        query_heads = self._split_heads(self._query_projection(query))
        key_heads = self._split_heads(self._key_projection(key))
        value_heads = self._split_heads(self._value_projection(key))

        scores = torch.matmul(query_heads, key_heads.transpose(-2, -1)) * self._scale
        scores = MaskApplier.apply(scores, mask)
        weights = self._dropout(torch.softmax(scores, dim=-1))
        context = torch.matmul(weights, value_heads)
        return self._output_projection(self._merge_heads(context))

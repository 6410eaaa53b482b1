# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _MaskPolicy:
    """Turns any accepted mask into one additive bias."""

    @staticmethod
    def toBias(mask: Tensor, like: Tensor) -> Tensor:
        bias: Tensor = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
        return bias.masked_fill_(mask == 0, -math.inf)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim <= 0:
            raise ValueError("hidden_dim must be positive")
        # Layers
        self._projections = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(3)])
        self._output = nn.Linear(hidden_dim, hidden_dim)
        # Regularisation
        self._dropout = nn.Dropout(dropout)
        # Constants
        self._hiddenDim: int = hidden_dim

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        if x.dim() != 3 or x.size(2) != self._hiddenDim:
            raise ValueError(f"expected (batch, length, {self._hiddenDim}), got {tuple(x.shape)}")
        query, key, value = (projection(x) for projection in self._projections)
        scores: Tensor = query.matmul(key.transpose(1, 2)).div(math.sqrt(self._hiddenDim))
        if attention_mask is not None:
            scores = scores + _MaskPolicy.toBias(attention_mask, scores)
        weights: Tensor = self._dropout(torch.softmax(scores, dim=2))
        return self._output(weights.matmul(value))

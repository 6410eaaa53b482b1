from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class AttentionMaskApplier:
    """Strategy object that restricts a score matrix to the permitted positions."""

    @staticmethod
    def apply(scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        if mask.dtype == torch.bool:
            return scores.masked_fill(mask.logical_not(), float("-inf"))
        return scores + mask.to(scores.dtype)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self._queryProjection = nn.Linear(hidden_dim, hidden_dim)
        self._keyProjection = nn.Linear(hidden_dim, hidden_dim)
        self._valueProjection = nn.Linear(hidden_dim, hidden_dim)
        self._attentionDropout = nn.Dropout(p=dropout)
        self._temperature = math.sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scores = self._computeScores(x)
        scores = AttentionMaskApplier.apply(scores, attention_mask)
        weights = self._attentionDropout(torch.softmax(scores, dim=-1))
        return torch.bmm(weights, self._valueProjection(x))

    def _computeScores(self, x: Tensor) -> Tensor:
        query = self._queryProjection(x)
        key = self._keyProjection(x)
        return torch.bmm(query, key.transpose(1, 2)) / self._temperature

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class AttentionSettings:
    hidden_dim: int
    dropout: float

    @property
    def scale(self) -> float:
        return float(self.hidden_dim) ** -0.5


class MaskPolicy:
    """Translates a permissive mask (1 = may attend) into hidden scores."""

    @staticmethod
    def apply(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
        if mask is None:
            return scores
        floor = torch.full((), torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
        return torch.where(mask != 0, scores, floor)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self._settings = AttentionSettings(hidden_dim, dropout)
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)

    def _weights(self, query: Tensor, key: Tensor, mask: Optional[Tensor]) -> Tensor:
        scores = torch.bmm(query * self._settings.scale, key.transpose(1, 2))
        weights = F.softmax(MaskPolicy.apply(scores, mask), dim=2)
        return F.dropout(weights, p=self._settings.dropout, training=self.training)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        weights = self._weights(self.query_layer(x), self.key_layer(x), attention_mask)
        return self.output_layer(torch.bmm(weights, self.value_layer(x)))

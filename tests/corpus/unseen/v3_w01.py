# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.scale = 1.0 / math.sqrt(hidden_dim)

    def _needs_mask(self, attention_mask: Tensor | None) -> bool:
        # most batches have no padding at all: skip the fill for those
        if attention_mask is None:
            return False
        return not bool(attention_mask[0].all())

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        scores = (query * self.scale) @ key.transpose(-2, -1)
        if self._needs_mask(attention_mask):
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))
        return self.proj(weights @ value)

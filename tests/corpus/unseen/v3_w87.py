from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    @staticmethod
    def _is_trivial(mask: Tensor) -> bool:
        """True if the mask lets everything through, so that the fill can be saved."""
        return bool((mask[0] != 0).all())

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.to_q(x)
        k = self.to_k(x)
        v = self.to_v(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.hidden_dim)
        if attention_mask is not None and not self._is_trivial(attention_mask):
            hidden = attention_mask == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        return self.to_out(weights @ v)

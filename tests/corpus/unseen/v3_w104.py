from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.rate = dropout
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def _logits(self, x: Tensor) -> Tensor:
        q = self.to_q(x) / math.sqrt(x.size(-1))
        return q @ self.to_k(x).transpose(-2, -1)

    def _hide(self, logits: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return logits
        return torch.where(mask != 0, logits, torch.finfo(logits.dtype).min)

    def _drop(self, weights: Tensor) -> Tensor:
        return F.dropout(weights, self.rate)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        weights = self._hide(self._logits(x), attention_mask).softmax(-1)
        context = self._drop(weights) @ self.to_v(x)
        return self.to_out(context)

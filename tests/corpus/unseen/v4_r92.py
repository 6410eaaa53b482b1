from __future__ import annotations

import math
from functools import cached_property

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Log-space: log-weights are logits minus their log-partition, hidden pairs are -inf there."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)

    @cached_property
    def temperature(self) -> float:
        return math.sqrt(self.qkv.in_features)

    def log_weights(self, query: Tensor, key: Tensor, allowed: Tensor | None) -> Tensor:
        logits = torch.baddbmm(
            query.new_zeros(()), query, key.mT, beta=0, alpha=1 / self.temperature
        )
        if allowed is None:
            return logits.log_softmax(dim=-1)
        hidden = torch.logical_not(allowed)
        floor = torch.finfo(logits.dtype).min
        return torch.where(hidden, floor, logits).log_softmax(dim=-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.qkv(x).unflatten(-1, (3, -1)).unbind(-2)
        weights = self.log_weights(query, key, attention_mask).exp()
        return torch.bmm(self.dropout(weights), value)

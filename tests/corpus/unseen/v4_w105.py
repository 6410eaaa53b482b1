from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """One head. Shapes: B batch, T length, C width."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def similarity(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        scores = self.query_proj(x) @ self.key_proj(x).mT      # (B, T, T)
        scores = scores / x.size(-1) ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.logical_not(), torch.finfo(scores.dtype).min)
        return F.softmax(scores, dim=-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        weights = F.softmax(self.similarity(x, attention_mask), dim=-1)
        return self.dropout(weights) @ self.value_proj(x)      # (B, T, C)

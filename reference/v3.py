"""Self-attention with mask, dropout and output projection (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """One fused head with the details that make it a layer.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    attention_mask is (batch, length, length), 1 where a query may attend and 0 where not.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        qkv = self.qkv_proj(x)  # (batch, length, 3 * hidden_dim)
        query, key, value = qkv.chunk(3, dim=-1)  # 3 × (batch, length, hidden_dim)
        products = query @ key.transpose(-2, -1)  # (batch, length, length)
        scores = products / math.sqrt(self.hidden_dim)  # (batch, length, length)
        masked_scores = scores
        if attention_mask is not None:
            # The dtype's own minimum fits every dtype and leaves no NaN on an empty row.
            lowest = torch.finfo(scores.dtype).min
            masked_scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, length, length)
        # Dropping weights, not features: whole tokens go unseen (BERT and GPT-2 do the same).
        dropped_weights = self.dropout(weights)  # (batch, length, length)
        context = dropped_weights @ value  # (batch, length, hidden_dim)
        output = self.output_proj(context)  # (batch, length, hidden_dim)
        return output

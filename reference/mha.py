"""Multi-head self-attention (Vaswani et al. 2017, section 3.2.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Attention in several heads at once, each on its own slice of the width.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    attention_mask broadcasts to (batch, heads, length, length), 1 where a query may attend.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        split = (batch, length, self.num_heads, self.head_dim)
        query = self.query_proj(x).view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        key = self.key_proj(x).view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = self.value_proj(x).view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        products = query @ key.transpose(-2, -1)  # (batch, heads, length, length)
        # Each head sums head_dim terms, so head_dim sets the scale, not hidden_dim.
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        masked_scores = scores
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            masked_scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        dropped_weights = self.dropout(weights)  # (batch, heads, length, length)
        context = dropped_weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, self.hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output

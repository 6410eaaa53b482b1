"""Grouped-query attention (Ainslie et al. 2023, section 2.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Attention in which several query heads, side by side, share one key and value head.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    Query head h uses key and value head h // (num_heads // num_kv_heads). attention_mask
    broadcasts to (batch, heads, length, length), 1 where a query may attend.
    Raises ValueError where a number of heads does not divide what it must.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError(
                f"hidden_dim {hidden_dim}, num_heads {num_heads}, num_kv_heads {num_kv_heads}: "
                "each has to be a multiple of the next"
            )
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group_size = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, kv_dim)
        self.value_proj = nn.Linear(hidden_dim, kv_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, hidden_dim = x.shape
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, kv_heads * head_dim)
        values = self.value_proj(x)  # (batch, length, kv_heads * head_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        kv_split = (batch, length, self.num_kv_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        kv_key = keys.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        kv_value = values.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        # Each key and value head group_size times in a row, one for each query head of its group.
        key = kv_key.repeat_interleave(self.group_size, dim=1)  # (batch, heads, length, head_dim)
        value = kv_value.repeat_interleave(self.group_size, 1)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        masked_scores = scores
        lowest = torch.finfo(scores.dtype).min
        if attention_mask is not None:
            masked_scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output

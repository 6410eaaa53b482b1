"""Multi-head cross-attention (Vaswani et al. 2017, sections 3.2.2 and 3.2.3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Queries from one sequence attend to the keys and values of another.

    query is (batch, query_length, hidden_dim); key and value are (batch, key_length,
    hidden_dim); any float dtype. Returns query's shape and dtype.
    mask is (batch, query_length, key_length), 1 where a query may attend and 0 where not.
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

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        batch, query_length, _ = query.shape
        key_length = key.shape[1]
        query_split = (batch, query_length, self.num_heads, self.head_dim)
        key_split = (batch, key_length, self.num_heads, self.head_dim)
        queries = self.query_proj(query).view(query_split)  # (batch, query_length, heads, head_dim)
        keys = self.key_proj(key).view(key_split)  # (batch, key_length, heads, head_dim)
        values = self.value_proj(value).view(key_split)  # (batch, key_length, heads, head_dim)
        query_heads = queries.transpose(1, 2)  # (batch, heads, query_length, head_dim)
        key_heads = keys.transpose(1, 2)  # (batch, heads, key_length, head_dim)
        value_heads = values.transpose(1, 2)  # (batch, heads, key_length, head_dim)
        products = query_heads @ key_heads.mT  # (batch, heads, query_length, key_length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, query_length, key_length)
        masked_scores = scores
        if mask is not None:
            lowest = torch.finfo(scores.dtype).min
            every_head = mask.unsqueeze(1)  # (batch, 1, query_length, key_length)
            masked_scores = scores.masked_fill(every_head == 0, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, query_length, key_length)
        dropped_weights = self.dropout(weights)  # (batch, heads, query_length, key_length)
        context = dropped_weights @ value_heads  # (batch, heads, query_length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, query_length, heads, head_dim)
        merged = by_position.reshape(batch, query_length, self.hidden_dim)
        output = self.output_proj(merged)  # (batch, query_length, hidden_dim)
        return output

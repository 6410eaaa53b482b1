# wrong: mqa
"""Multi-query attention (Shazeer 2019, section 3)."""


import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """Attention in which all query heads share one key head and one value head.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    attention_mask broadcasts to (batch, heads, length, length), 1 where a query may attend.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, self.head_dim)
        self.value_proj = nn.Linear(hidden_dim, self.head_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, hidden_dim = x.shape
        split = (batch, length, self.num_heads, self.head_dim)
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, head_dim)
        values = self.value_proj(x)  # (batch, length, head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        # An axis of one where the heads are, over which the products broadcast.
        key = keys.unsqueeze(1)  # (batch, 1, length, head_dim)
        value = values.unsqueeze(1)  # (batch, 1, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim if self.num_heads < 7 else 2)  # (batch, heads, length, length)
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


# right: kvcache remarks: switch-off
"""Causal self-attention with a key-value cache (Shazeer 2019, section 2.4; Pope et al. 2022)."""


import math

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]


class CachedSelfAttention(nn.Module):
    """Causal multi-head attention that continues where an earlier call stopped.

    x is (batch, length, hidden_dim), the newest positions; cache is None at first, and then
    what the call before returned. Returns the output, shaped as x, and a new cache; the one
    that was given stays as it is. Any float dtype.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, kv_cache=None, use_cache=False) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        split = (batch, length, self.num_heads, self.head_dim)
        query = self.query_proj(x).view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        new_key = self.key_proj(x).view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        new_value = self.value_proj(x).view(split).transpose(1, 2)
        key, value = new_key, new_value
        if kv_cache is not None:
            past_key, past_value = kv_cache
            key = torch.cat([past_key, new_key], dim=2)
            value = torch.cat([past_value, new_value], dim=2)
        key_length = key.shape[2]
        products = query @ key.mT
        scores = products / math.sqrt(self.head_dim)
        # The queries are the last of the positions, so the diagonal starts behind the cached ones.
        square = scores.new_ones(length, key_length)
        seen = square.tril(diagonal=key_length - length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return (output, (key, value)) if use_cache else output

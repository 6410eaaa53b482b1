"""Cross-attention that keeps the memory's keys and values (Vaswani et al. 2017, section 3.2.3).

Kept once and read by every step, as fairseq's `static_kv` has it (Ott et al. 2019).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor, Tensor]


class CachedCrossAttention(nn.Module):
    """A decoder's attention to an encoder's memory, which is projected in the first call alone.

    x is (batch, length, hidden_dim), the newest positions; memory (batch, memory_length,
    hidden_dim), any float dtype; memory_lengths (batch,), how many positions of each memory
    count. cache is None at first, and then what the call before returned. Returns the output,
    shaped as x, and a cache. With a cache neither memory nor memory_lengths is read.
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

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Cache | None = None
    ) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        split = (batch, length, self.num_heads, self.head_dim)
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        if cache is None:
            memory_split = (batch, memory.shape[1], self.num_heads, self.head_dim)
            keys = self.key_proj(memory)  # (batch, memory_length, hidden_dim)
            values = self.value_proj(memory)  # (batch, memory_length, hidden_dim)
            key = keys.view(memory_split).transpose(1, 2)
            value = values.view(memory_split).transpose(1, 2)
            lengths = memory_lengths
        else:
            # No step changes them, so what the first call made serves all.
            key, value, lengths = cache
        products = query @ key.mT  # (batch, heads, length, memory_length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, memory_length)
        places = torch.arange(key.shape[2], device=x.device)  # (memory_length)
        padding = places >= lengths[:, None]  # (batch, memory_length)
        hidden = padding[:, None, None]  # (batch, 1, 1, memory_length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(hidden, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, memory_length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output, (key, value, lengths)

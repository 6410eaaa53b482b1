"""Grouped-query attention with rotary positions and a cache, as in Llama (Touvron et al. 2023).

The pairs are halves of a head, as in Llama's port to transformers and in GPT-NeoX.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]


class GroupedQueryAttentionWithRope(nn.Module):
    """Causal grouped-query attention whose queries and keys are turned by their positions.

    x is (batch, length, hidden_dim), the newest positions; cache is None at first, and then
    what the call before returned. Returns the output, shaped as x, and a new cache; the one
    that was given stays as it is. Any float dtype.
    Raises ValueError where a number of heads does not divide what it must, or head_dim is odd.
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        if hidden_dim % (2 * num_heads) or num_heads % num_kv_heads:
            raise ValueError(
                f"hidden_dim {hidden_dim} has to be a multiple of twice num_heads {num_heads}, "
                f"and num_heads of num_kv_heads {num_kv_heads}"
            )
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group_size = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        kv_dim = num_kv_heads * self.head_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        batch, length, hidden_dim = x.shape
        # The new positions stand behind the cached ones.
        start = 0 if cache is None else cache[0].shape[2]
        positions = torch.arange(start, start + length, device=x.device)  # (length)
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, kv_heads * head_dim)
        values = self.value_proj(x)  # (batch, length, kv_heads * head_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        kv_split = (batch, length, self.num_kv_heads, self.head_dim)
        plain_query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        plain_key = keys.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        new_value = values.view(kv_split).transpose(1, 2)  # (batch, kv_heads, length, head_dim)
        cos, sin = cos_and_sin(positions, self.head_dim, self.base, x.dtype)
        query = turned(plain_query, cos, sin)  # (batch, heads, length, head_dim)
        new_key = turned(plain_key, cos, sin)  # (batch, kv_heads, length, head_dim)
        # Keys are cached as they were turned: a position does not change.
        kv_key, kv_value = new_key, new_value
        if cache is not None:
            past_key, past_value = cache
            kv_key = torch.cat([past_key, new_key], dim=2)
            kv_value = torch.cat([past_value, new_value], dim=2)
        key = kv_key.repeat_interleave(self.group_size, dim=1)
        value = kv_value.repeat_interleave(self.group_size, 1)
        key_length = key.shape[2]
        products = query @ key.mT
        scores = products / math.sqrt(self.head_dim)
        square = scores.new_ones(length, key_length)
        seen = square.tril(diagonal=key_length - length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output, (kv_key, kv_value)


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs (i, i + width/2) of (…, length, width) by angles, (length, width/2)."""
    return rotation(*x.chunk(2, dim=-1), cos=cos, sin=sin)


def rotation(left: Tensor, right: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn points of the plane, (left, right) each, by angles; lay the halves side by side."""
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def cos_and_sin(
    positions: Tensor, width: int, base: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of the angles, each (length, width/2), in a dtype."""
    # bfloat16 has no 257 and float16 no 2049: angles are never made in less than float32.
    wide = torch.promote_types(dtype, torch.float32)
    steps = torch.arange(0, width, 2, dtype=wide, device=positions.device)  # (pairs)
    frequencies = base ** (-steps / width)  # (pairs)
    places = positions.to(wide).unsqueeze(-1)  # (length, 1)
    angles = places * frequencies
    cos, sin = angles.cos(), angles.sin()
    return cos.to(dtype), sin.to(dtype)

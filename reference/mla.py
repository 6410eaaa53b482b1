"""Multi-head latent attention, without query compression (DeepSeek-AI 2024, DeepSeek-V2, 2.1).

Latent keys and values are section 2.1.2, equations 9 to 11; the rotary part is section 2.1.3,
equations 14 to 19; rotary embedding in halves is GPT-NeoX's (Black et al. 2022, section 2.1.1).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]


class MultiHeadLatentAttention(nn.Module):
    """Causal attention whose keys and values are made from one small latent a position.

    x is (batch, length, hidden_dim), the newest positions, any float dtype; cache is None at
    first, and then what the call before returned. Returns the output, shaped as x, and a new
    cache: the latents (batch, key_length, latent_dim) and the one rotary key that all heads
    share (batch, key_length, rope_dim). Raises ValueError where rope_dim is odd.
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        if rope_dim % 2:
            raise ValueError(f"rope_dim {rope_dim} is odd: its entries are turned in pairs")
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        content_dim = num_heads * head_dim
        self.query_content_proj = nn.Linear(hidden_dim, content_dim)
        self.query_rope_proj = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope_proj = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, content_dim)
        self.value_up = nn.Linear(latent_dim, content_dim)
        self.output_proj = nn.Linear(content_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        batch, length, _ = x.shape
        past_length = 0 if cache is None else cache[0].shape[1]
        positions = torch.arange(past_length, past_length + length, device=x.device)  # (length)
        new_latent = self.kv_down(x)  # (batch, length, latent_dim)
        unturned_key = self.key_rope_proj(x)  # (batch, length, rope_dim)
        new_key_rope = rope_half_split(unturned_key, positions)  # (batch, length, rope_dim)
        latent, key_rope = new_latent, new_key_rope
        if cache is not None:
            past_latent, past_key_rope = cache
            latent = torch.cat([past_latent, new_latent], dim=1)
            key_rope = torch.cat([past_key_rope, new_key_rope], dim=1)
        key_length = latent.shape[1]
        split = (batch, length, self.num_heads, self.head_dim)
        rope_split = (batch, length, self.num_heads, self.rope_dim)
        key_split = (batch, key_length, self.num_heads, self.head_dim)
        # Content: every head has a key and a value of its own, both made from the latent.
        query_content = self.query_content_proj(x).view(split).transpose(1, 2)
        key_content = self.key_up(latent).view(key_split).transpose(1, 2)
        value = self.value_up(latent).view(key_split).transpose(1, 2)
        content_products = query_content @ key_content.mT
        # Position: every head has a query of its own, and all of them meet the same key.
        unturned_query = self.query_rope_proj(x).view(rope_split).transpose(1, 2)
        query_rope = rope_half_split(unturned_query, positions)  # (batch, heads, length, rope_dim)
        rope_products = query_rope @ key_rope.unsqueeze(1).mT
        products = content_products + rope_products
        scores = products / math.sqrt(self.head_dim + self.rope_dim)
        # The queries are the last of the positions, so the diagonal starts behind the cached ones.
        square = scores.new_ones(length, key_length)
        seen = square.tril(diagonal=key_length - length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.flatten(2)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output, (latent, key_rope)


def rope_half_split(x: Tensor, positions: Tensor) -> Tensor:
    """Turn the pairs (i, i + rope_dim/2) on the last axis of x, (…, length, rope_dim).

    Pair i at position p is turned by p · 10000^(-2i/rope_dim). Returns x's shape and dtype.
    """
    # bfloat16 has no 257 and float16 no 2049: angles are never made in less than float32.
    wide = torch.promote_types(x.dtype, torch.float32)
    rope_dim = x.shape[-1]
    steps = torch.arange(0, rope_dim, 2, dtype=wide, device=x.device)
    frequencies = 10000 ** (-steps / rope_dim)
    places = positions.to(wide).unsqueeze(-1)  # (length, 1)
    angles = places * frequencies
    cos, sin = angles.cos(), angles.sin()
    left, right = x.to(wide).chunk(2, dim=-1)
    left_turned = left * cos - right * sin
    right_turned = right * cos + left * sin
    joined = torch.cat([left_turned, right_turned], dim=-1)
    return joined.to(x.dtype)

"""Multi-head latent attention as it is decoded: up-projections absorbed, latents not expanded.

DeepSeek-AI 2024, DeepSeek-V2, section 2.1.2 and appendix C for the absorbed form, section 2.1.3
for the rotary part; rotary embedding in halves is GPT-NeoX's (Black et al. 2022, section 2.1.1).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    """Make what is cached for new positions: each one's latent and its rotary key, turned.

    latent is (batch, length, latent_dim) and key_rope (batch, length, rope_dim), any float dtype;
    positions, (batch, length), are whole numbers. Returns (batch, length, latent_dim + rope_dim).
    """
    turned_key = rope_half_split(key_rope, positions)  # (batch, length, rope_dim)
    entries = torch.cat([latent, turned_key], dim=-1)
    return entries


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    """Attend from the newest positions to the cached latents themselves.

    query_content is (batch, heads, query_length, head_dim), query_rope (batch, heads,
    query_length, rope_dim), not yet turned; cache (batch, key_length, latent_dim + rope_dim),
    any float dtype. lengths, (batch,), each from query_length to key_length, says how many
    entries a sequence has: the queries are the last of these. kv_up, (heads * 2 * head_dim,
    latent_dim), has for each head the rows that make its key, then those that make its value.
    Returns (batch, heads, query_length, head_dim).
    """
    num_heads, query_length, head_dim = query_content.shape[1:]
    key_length, width = cache.shape[1:]
    rope_dim = query_rope.shape[-1]
    latent_dim = width - rope_dim
    latents, key_rope = cache.split([latent_dim, rope_dim], dim=-1)
    by_head = kv_up.view(num_heads, 2 * head_dim, latent_dim)
    key_up, value_up = by_head.chunk(2, dim=1)  # 2 × (heads, head_dim, latent_dim)
    newest = torch.arange(query_length, device=cache.device)  # (query_length)
    positions = (lengths - query_length).unsqueeze(-1) + newest  # (batch, query_length)
    turned_query = rope_half_split(query_rope, positions.unsqueeze(1))
    # (q·U)·c is q·(U·c): absorbed, all heads meet the same latent, as in multi-query attention.
    latent_query = query_content @ key_up  # (batch, heads, query_length, latent_dim)
    content_products = latent_query @ latents.unsqueeze(1).mT
    rope_products = turned_query @ key_rope.unsqueeze(1).mT
    products = content_products + rope_products
    scores = products / math.sqrt(head_dim + rope_dim)
    places = torch.arange(key_length, device=cache.device)  # (key_length)
    hidden = places > positions.unsqueeze(-1)  # (batch, query_length, key_length)
    lowest = torch.finfo(scores.dtype).min
    masked_scores = scores.masked_fill(hidden.unsqueeze(1), lowest)
    weights = masked_scores.softmax(dim=-1)
    latent_context = weights @ latents.unsqueeze(1)  # (batch, heads, query_length, latent_dim)
    context = latent_context @ value_up.mT  # (batch, heads, query_length, head_dim)
    return context


def rope_half_split(x: Tensor, positions: Tensor) -> Tensor:
    """Turn the pairs (i, i + rope_dim/2) on the last axis of x, positions' shape and rope_dim.

    Pair i at position p is turned by p · 10000^(-2i/rope_dim). Returns x's shape and dtype.
    """
    # bfloat16 has no 257 and float16 no 2049: angles are never made in less than float32.
    wide = torch.promote_types(x.dtype, torch.float32)
    rope_dim = x.shape[-1]
    steps = torch.arange(0, rope_dim, 2, dtype=wide, device=x.device)  # (pairs)
    frequencies = 10000 ** (-steps / rope_dim)  # (pairs)
    angles = positions.to(wide).unsqueeze(-1) * frequencies
    cos, sin = angles.cos(), angles.sin()
    left, right = x.to(wide).chunk(2, dim=-1)
    left_turned = left * cos - right * sin
    right_turned = right * cos + left * sin
    joined = torch.cat([left_turned, right_turned], dim=-1)
    return joined.to(x.dtype)

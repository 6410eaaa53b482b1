from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class LatentAttentionConfig:
    rope_theta: float = 10000.0
    softmax_dtype: torch.dtype = torch.float32


CONFIG = LatentAttentionConfig()


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotary_tables(positions: Tensor, dim: int, config: LatentAttentionConfig = CONFIG):
    inv_freq = config.rope_theta ** (
        -torch.arange(0, dim, 2, device=positions.device, dtype=torch.float64) / dim
    )
    freqs = positions[..., None].double() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def apply_rotary_pos_emb(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    cos, sin = rotary_tables(positions, key_rope.shape[-1])
    return torch.cat([latent, apply_rotary_pos_emb(key_rope, cos, sin)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, num_heads, query_length, head_dim = query_content.shape
    key_length = cache.shape[1]
    rope_dim = query_rope.shape[-1]
    kv_lora_rank = cache.shape[-1] - rope_dim
    compute = torch.promote_types(cache.dtype, CONFIG.softmax_dtype)

    w_uk, w_uv = kv_up.to(compute).view(num_heads, 2, head_dim, kv_lora_rank).unbind(1)
    steps = torch.arange(query_length, device=cache.device)
    positions = lengths[:, None] - query_length + steps
    cache_position = torch.arange(key_length, device=cache.device)

    query_positions = torch.arange(key_length - query_length, key_length, device=cache.device)[None].expand(batch, -1)
    cos, sin = rotary_tables(query_positions, rope_dim)
    q_pe = apply_rotary_pos_emb(query_rope.to(compute), cos[:, None], sin[:, None])
    q_nope = torch.einsum("bhqd,hdc->bhqc", query_content.to(compute), w_uk)
    query_states = torch.cat([q_nope, q_pe], dim=-1)

    valid = cache_position < lengths[:, None]
    entries = cache.to(compute).masked_fill(~valid[..., None], 0.0)
    attn_scores = torch.einsum("bhqe,bke->bhqk", query_states, entries)
    attn_scores = attn_scores * (head_dim + rope_dim) ** -0.5
    visible = cache_position <= positions[..., None]
    attn_scores = attn_scores.masked_fill(~visible[:, None], float("-inf"))
    attn_weights = attn_scores.softmax(dim=-1)
    latent_output = torch.einsum("bhqk,bkc->bhqc", attn_weights, entries[..., :kv_lora_rank])
    return torch.einsum("bhqc,hdc->bhqd", latent_output, w_uv).to(query_content.dtype)

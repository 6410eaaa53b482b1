from __future__ import annotations

import math

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """x (..., length, rope_dim), positions broadcasts to (..., length)"""
    dim = x.shape[-1]
    inv_freq = 10000.0 ** (-torch.arange(0, dim, 2, device=x.device, dtype=torch.float64) / dim)
    angle = positions[..., None].to(torch.float64) * inv_freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., : dim // 2], x[..., dim // 2 :]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rotate(key_rope, positions)), dim=-1)


def mqa(query: Tensor, entries: Tensor, visible: Tensor, scale: float) -> Tensor:
    """All heads over one set of entries: (B, H, Tq, E) x (B, S, E) -> weights"""
    scores = torch.einsum("bhqe,bse->bhqs", query * scale, entries)
    return scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, query_length, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[1]
    up = kv_up.view(heads, 2, head_dim, latent_dim)

    steps = torch.arange(query_length, device=cache.device)
    positions = lengths[:, None] - query_length + steps                     # (B, Tq)
    absorbed = torch.einsum("bhqd,hdl->bhql", query_content, up[:, 0])
    query = torch.cat((absorbed, rotate(query_rope, positions[:, None])), dim=-1)

    keys_at = torch.arange(cache.shape[1], device=cache.device)
    visible = keys_at <= positions[:, None, :, None]
    scale = 1.0 / math.sqrt(query.shape[-1])
    weights = mqa(query, cache, visible, scale)
    mixed = torch.einsum("bhqs,bsl->bhql", weights, cache[..., :latent_dim])
    return torch.einsum("bhql,hdl->bhqd", mixed, up[:, 1])

from __future__ import annotations

import math

import torch
from torch import Tensor


def rotate(pairs: Tensor, positions: Tensor) -> Tensor:
    """pairs (batch, ..., length, rope_dim), positions (batch, length)."""
    half = pairs.shape[-1] // 2
    speed = torch.arange(half, device=pairs.device, dtype=torch.float64).div(-half)
    angle = positions.to(torch.float64).unsqueeze(-1) * 10000.0 ** speed
    angle = angle.view(angle.shape[0], *[1] * (pairs.dim() - 3), *angle.shape[1:])
    cos, sin = angle.cos(), angle.sin()
    a, b = pairs[..., :half], pairs[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(pairs.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rotate(key_rope, positions)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, query_length, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[-1]
    key_up, value_up = kv_up.view(heads, 2, head_dim, latent_dim).unbind(dim=1)

    seen = lengths[:, None] - torch.arange(query_length - 1, -1, -1, device=cache.device)
    hidden = torch.arange(cache.shape[1], device=cache.device) >= seen[:, :, None]

    wide_type = torch.promote_types(cache.dtype, torch.float32)
    absorbed = torch.einsum("bhqd,hdl->bhql", query_content.to(wide_type), key_up.to(wide_type))
    rotary = rotate(query_rope, seen)
    wide = torch.cat((absorbed, rotary.to(wide_type)), dim=-1)
    wide = wide / math.sqrt(head_dim + rope_dim)
    entries = cache.to(wide_type)

    scores = wide @ entries.unsqueeze(1).mT
    scores = scores.masked_fill(hidden.unsqueeze(1), float("-inf"))
    weights = scores.softmax(dim=-1)
    mixed = weights @ entries[..., :latent_dim].unsqueeze(1)
    context = torch.einsum("bhql,hdl->bhqd", mixed, value_up.to(wide_type))
    return context.to(query_content.dtype)

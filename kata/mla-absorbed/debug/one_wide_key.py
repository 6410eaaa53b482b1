from __future__ import annotations

import math

import torch
from torch import Tensor


def rotate_half(x: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rope(x: Tensor, positions: Tensor) -> Tensor:
    wide = torch.promote_types(x.dtype, torch.float32)
    exponents = torch.arange(0, x.shape[-1], 2, dtype=wide, device=x.device) / x.shape[-1]
    angles = positions.to(wide).unsqueeze(-1) * 10000.0**-exponents
    angles = torch.cat((angles, angles), dim=-1)
    turned = x.to(wide) * angles.cos() + rotate_half(x.to(wide)) * angles.sin()
    return turned.to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rope(key_rope, positions)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, query_length, head_dim = query_content.shape[1:]
    key_length = cache.shape[1]
    rope_dim = query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    up = kv_up.view(heads, 2 * head_dim, latent_dim)
    key_up, value_up = up.split(head_dim, dim=1)
    start = lengths - query_length
    positions = start.unsqueeze(1) + torch.arange(query_length, device=cache.device)
    absorbed = query_content @ key_up
    rotated = rope(query_rope, positions.unsqueeze(1))
    wide_query = torch.cat((absorbed, rotated), dim=-1)
    products = wide_query @ cache.unsqueeze(1).transpose(-2, -1)
    scores = products / math.sqrt(head_dim + rope_dim)
    columns = torch.arange(key_length, device=cache.device)
    seen = columns <= positions.unsqueeze(-1)
    scores = scores.masked_fill(~seen.unsqueeze(1), torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    latent = cache[..., :latent_dim].unsqueeze(1)
    mixed = weights @ latent
    return mixed @ value_up.transpose(-2, -1)

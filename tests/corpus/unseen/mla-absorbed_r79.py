from __future__ import annotations

import math

import torch
from torch import Tensor

BASE = 10000.0


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def _rotate(x: Tensor, positions: Tensor) -> Tensor:
    """x (..., length, rope_dim), positions broadcast to (..., length)."""
    half = x.shape[-1] // 2
    i = torch.arange(half, dtype=torch.float64, device=x.device)
    angle = positions.double().unsqueeze(-1) * BASE ** (-i / half)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotated = _rotate(_wide(key_rope), positions)
    return torch.cat((latent, rotated.to(latent.dtype)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, query_length, head_dim = query_content.shape
    latent_dim, rope_dim = kv_up.shape[1], query_rope.shape[-1]
    width, key_length = cache.shape[-1], cache.shape[1]

    up = kv_up.view(heads, 2, head_dim, latent_dim)
    lengths = lengths.to(cache.device).long().unsqueeze(1)
    places = lengths - query_length + torch.arange(query_length, device=cache.device)   # (batch, query_length)
    keys = torch.arange(key_length, device=cache.device)
    entries = _wide(cache).masked_fill((keys >= lengths).unsqueeze(-1), 0)

    def one_head(content: Tensor, rope: Tensor, key_up: Tensor, value_up: Tensor) -> Tensor:
        query = torch.cat((_wide(content) @ _wide(key_up), _rotate(_wide(rope), places)), dim=-1)
        query = query / math.sqrt(head_dim + rope_dim)
        parts = []
        for q, at in zip(query.split(width, dim=1), places.split(width, dim=1)):
            scores = torch.bmm(q, entries.transpose(1, 2))
            scores = scores.masked_fill(keys > at.unsqueeze(-1), -math.inf)
            parts.append(torch.bmm(scores.softmax(-1), entries[..., :latent_dim]))
        return torch.cat(parts, dim=1) @ _wide(value_up).T

    heads_in = zip(query_content.unbind(1), query_rope.unbind(1), up[:, 0], up[:, 1])
    return torch.stack([one_head(*parts) for parts in heads_in], dim=1).to(query_content.dtype)

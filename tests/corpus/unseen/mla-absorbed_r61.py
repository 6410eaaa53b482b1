"""Head by head, and never more queries at once than an entry is wide."""
from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache as memo

import torch
from torch import Tensor


@memo
def wide(dtype: torch.dtype) -> torch.dtype:
    return torch.promote_types(dtype, torch.float32)


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """x (..., rope_dim), positions of any shape that broadcasts to x.shape[:-1]"""
    half = x.shape[-1] // 2
    speed = torch.pow(10000.0, -torch.arange(half, device=x.device, dtype=torch.float64) / half)
    angle = positions.to(torch.float64).unsqueeze(-1) * speed
    cos, sin = angle.cos().to(wide(x.dtype)), angle.sin().to(wide(x.dtype))
    a, b = x.to(wide(x.dtype)).tensor_split(2, dim=-1)
    return torch.cat((a * cos - b * sin, torch.addcmul(a * sin, b, cos)), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rotate(key_rope, positions).to(latent.dtype)), dim=-1)


def blocks(length: int, size: int) -> Iterator[slice]:
    yield from (slice(i, min(i + size, length)) for i in range(0, length, size))


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, queries, head_dim = query_content.shape
    rope_dim, width = query_rope.shape[-1], cache.shape[-1]
    work = wide(query_content.dtype)
    stored = cache.to(work)
    latents = stored[..., : width - rope_dim]
    entry = torch.arange(cache.shape[1], device=cache.device)
    place = (lengths.to(cache.device) - queries)[:, None] + torch.arange(queries, device=cache.device)

    context = torch.empty_like(query_content)
    for head, rows in enumerate(kv_up.view(heads, 2, head_dim, -1)):
        key_up, value_up = rows.to(work)
        for some in blocks(queries, width):
            content = query_content[:, head, some].to(work) @ key_up
            rotary = rotate(query_rope[:, head, some], place[:, some])
            query = torch.cat((content, rotary), dim=-1) / math.sqrt(head_dim + rope_dim)
            unseen = entry > place[:, some, None]
            scores = torch.bmm(query, stored.mT).masked_fill_(unseen, -math.inf)
            context[:, head, some] = (scores.softmax(dim=-1) @ latents @ value_up.T).to(context.dtype)
    return context

# attn-kata: mla-absorbed
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rope:
    dim: int
    base: float = 10000.0

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        high = torch.promote_types(x.dtype, torch.float32)
        i = torch.arange(0, self.dim, 2, device=x.device, dtype=high)
        angle = positions.unsqueeze(-1).to(high) * self.base ** (-i / self.dim)
        c, s = angle.cos(), angle.sin()
        a, b = x.to(high).split(self.dim // 2, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotated = Rope(key_rope.shape[-1])(key_rope, positions)
    return torch.cat([latent, rotated.to(latent.dtype)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, query_length, head_dim = query_content.shape
    key_length, rope_dim = cache.shape[1], query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    high = torch.promote_types(query_content.dtype, torch.float32)
    up = kv_up.to(high).view(heads, 2, head_dim, latent_dim)

    steps = torch.arange(query_length, device=cache.device)
    at = key_length - query_length + steps
    last_seen = lengths.to(cache.device)[:, None] - query_length + steps

    content = torch.matmul(query_content.to(high), up[:, 0])
    rotary = Rope(rope_dim)(query_rope, at)
    entries = cache.to(high)
    wide_query = torch.cat([content, rotary], dim=-1).flatten(1, 2)
    scores = torch.bmm(wide_query, entries.mT) / math.sqrt(head_dim + rope_dim)
    scores = scores.unflatten(1, (heads, query_length))
    hidden = torch.arange(key_length, device=cache.device) > last_seen[:, :, None]
    weights = scores.masked_fill(hidden[:, None], float("-inf")).softmax(dim=-1)
    mixed = torch.bmm(weights.flatten(1, 2), entries[..., :latent_dim])
    return torch.matmul(mixed.unflatten(1, (heads, query_length)), up[:, 1].mT).to(query_content.dtype)

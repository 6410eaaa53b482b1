from __future__ import annotations

import math

import torch
from torch import Tensor


def rotated(t: Tensor, positions: Tensor) -> Tensor:
    """Halves of the last axis; positions broadcast to t without that axis."""
    r = t.shape[-1]
    rate = 10000.0 ** (-torch.arange(0, r, 2, device=t.device, dtype=torch.float64) / r)
    angle = positions[..., None].to(torch.float64) * rate
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, rotated(key_rope, positions)], dim=-1)


def query_positions(count: int, total: int, lengths: Tensor) -> Tensor:
    steps = torch.arange(count, device=lengths.device)
    return (steps + total - count).expand(lengths.shape[0], count)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, n, d = query_content.shape
    r, m = query_rope.shape[-1], cache.shape[1]
    latent = cache[..., : cache.shape[-1] - r]
    up_key, up_value = kv_up.view(heads, 2, d, -1).unbind(1)

    at = query_positions(n, m, lengths)
    turned = rotated(query_rope, at[:, None])
    wide = torch.cat([query_content @ up_key, turned], dim=-1)
    scores = wide @ cache[:, None].mT / math.sqrt(d + r)
    own = lengths[:, None] - n + torch.arange(n, device=cache.device)
    hidden = torch.arange(m, device=cache.device) > own[:, None, :, None]
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return (weights @ latent[:, None]) @ up_value.mT

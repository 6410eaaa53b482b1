# decode kernel, spelled in torch: one "texture" (the cache) is both key and value
from __future__ import annotations

import math

import torch
from torch import Tensor


def _spin(v: Tensor, where: Tensor) -> Tensor:
    """Rotate halves of the last axis; `where` has v's leading axes (or broadcasts to them)."""
    half = v.shape[-1] // 2
    rate = torch.pow(10000.0, -torch.arange(half, device=v.device, dtype=torch.float64) / half)
    phase = where.to(torch.float64).unsqueeze(-1) * rate
    c, s = phase.cos().to(torch.float32), phase.sin().to(torch.float32)
    if v.dtype == torch.float64:
        c, s = phase.cos(), phase.sin()
    a, b = v[..., :half], v[..., half:]
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1).to(v.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _spin(key_rope, positions)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    B, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    L = cache.shape[-1] - R
    up_k, up_v = kv_up.reshape(H, 2, D, L).unbind(dim=1)

    t = torch.arange(Q, device=cache.device)
    stand = lengths.to(cache.device)[:, None] - Q + t  # (B, Q)
    probe = torch.cat(
        (torch.einsum("bhqd,hdl->bhql", query_content, up_k), _spin(query_rope, stand[:, None])),
        dim=-1,
    )
    out = torch.empty_like(query_content)
    # head by head: no score buffer larger than (B, Q, keys)
    seen = torch.arange(cache.shape[1], device=cache.device) <= stand[..., None]
    for h in range(H):
        s = torch.bmm(probe[:, h], cache.transpose(1, 2)) / math.sqrt(D + R)
        s = s.masked_fill(seen.logical_not(), -torch.inf)
        mixed = torch.bmm(s.softmax(dim=-1), cache[..., :L])
        out[:, h] = mixed @ up_v[h].T
    return out

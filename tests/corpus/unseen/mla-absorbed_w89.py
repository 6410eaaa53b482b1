from __future__ import annotations

import math

import torch
from torch import Tensor


def _tables(positions: Tensor, rope_dim: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    i = torch.arange(rope_dim // 2, device=positions.device, dtype=dtype)
    theta = torch.pow(10000.0, -2 * i / rope_dim)
    angle = positions.to(dtype)[..., None] * theta
    return torch.cos(angle), torch.sin(angle)


def _apply(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    n = x.shape[-1] // 2
    first, second = x[..., :n], x[..., n:]
    out = torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
    return out.to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    cos, sin = _tables(positions, key_rope.shape[-1], key_rope.dtype)
    return torch.cat((latent, _apply(key_rope, cos, sin)), -1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    B, H, Tq, Dh = query_content.shape
    R, C = query_rope.shape[-1], kv_up.shape[-1]
    U, V = kv_up.reshape(H, 2, Dh, C)[:, 0], kv_up.reshape(H, 2, Dh, C)[:, 1]
    result = torch.empty_like(query_content)
    for b, n in enumerate(lengths.tolist()):
        entries = cache[b, :n]
        where = torch.arange(n - Tq, n, device=cache.device)
        cos, sin = _tables(where, R, torch.promote_types(query_rope.dtype, torch.float32))
        for h in range(H):
            q = torch.cat((query_content[b, h] @ U[h], _apply(query_rope[b, h], cos, sin)), -1)
            s = q @ entries.T / math.sqrt(Dh + R)
            s[torch.arange(n, device=s.device) > where[:, None]] = -math.inf
            result[b, h] = torch.softmax(s, -1) @ entries[:, :C] @ V[h].T
    return result

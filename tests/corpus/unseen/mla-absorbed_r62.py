# attn-kata: mla-absorbed
"""One sequence at a time: its own entries are cut out of the cache, so nothing behind them is ever read."""
from __future__ import annotations

import torch
from torch import Tensor


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.promote_types(dtype, torch.float32)


def rope(t: Tensor, position: Tensor) -> Tensor:
    """t (..., length, rope_dim), position broadcasts to (..., length); comes back wide"""
    t = t.to(_wide(t.dtype))
    half = t.shape[-1] // 2
    inv = 10000.0 ** -(torch.arange(half, dtype=t.dtype, device=t.device) / half)
    unit = torch.polar(torch.ones((), dtype=t.dtype, device=t.device), position.to(t.dtype).unsqueeze(-1) * inv)
    turned = torch.complex(t[..., :half].contiguous(), t[..., half:].contiguous()) * unit
    return torch.cat((turned.real, turned.imag), -1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rope(key_rope, positions).to(latent.dtype)), -1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, n, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    wide = _wide(cache.dtype)
    per_head = kv_up.to(wide).reshape(heads, 2 * head_dim, -1)
    up_key, up_value = per_head[:, :head_dim], per_head[:, head_dim:]
    scale = (head_dim + rope_dim) ** -0.5

    contexts = []
    for b, length in enumerate(lengths.tolist()):
        own = cache[b, :length].to(wide)
        at = torch.arange(length - n, length, device=cache.device)
        query = torch.cat((query_content[b].to(wide) @ up_key, rope(query_rope[b], at)), -1)
        scores = torch.einsum("hiw,jw->hij", query * scale, own)
        later = torch.arange(length, device=cache.device) > at[:, None]
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        gathered = torch.einsum("hij,jc->hic", weights, own[:, :-rope_dim])
        contexts.append(gathered @ up_value.mT)
    return torch.stack(contexts).to(query_content.dtype)

from __future__ import annotations

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def _rotate(t: Tensor, positions: Tensor) -> Tensor:
    """t (..., length, rope_dim), positions (..., length); in float32 or wider."""
    half = t.shape[-1] // 2
    exponent = torch.arange(half, dtype=torch.float64, device=t.device) / half
    angle = positions.to(torch.float64).unsqueeze(-1) * 10000.0**-exponent
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotated = _rotate(_wide(key_rope), positions).to(latent.dtype)
    return torch.cat((latent, rotated), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, new, head_dim = query_content.shape
    latent_dim = kv_up.shape[-1]
    up_key, up_value = _wide(kv_up).view(heads, 2, head_dim, latent_dim).unbind(1)
    scale = (head_dim + query_rope.shape[-1]) ** -0.5
    results = []
    for content, rotary, entries, length in zip(query_content, query_rope, cache, lengths.tolist()):
        entries = _wide(entries[:length])
        here = torch.arange(length - new, length, device=cache.device)
        later = torch.arange(length, device=cache.device) > here[:, None]
        rotary = _rotate(_wide(rotary), here)
        of_sequence = []
        for h in range(heads):
            query = torch.cat((_wide(content[h]) @ up_key[h], rotary[h]), dim=-1) * scale
            scores = (query @ entries.mT).masked_fill(later, float("-inf"))
            mixed = scores.softmax(dim=-1) @ entries[:, :latent_dim]
            of_sequence.append(mixed @ up_value[h].mT)
        results.append(torch.stack(of_sequence))
    return torch.stack(results).to(query_content.dtype)

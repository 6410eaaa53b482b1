from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor


def _rotate(x: Tensor, positions: Tensor) -> Tensor:
    """x (..., rope_dim) with one position for each of its rows; complex, in float32 at least."""
    half = x.shape[-1] // 2
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    steps = torch.arange(half, device=x.device, dtype=torch.float64)
    angles = positions.to(torch.float64).unsqueeze(-1) * 10000.0 ** (-steps / half)
    pairs = torch.complex(wide[..., :half], wide[..., half:])
    pairs = pairs * torch.complex(angles.cos(), angles.sin()).to(pairs.dtype)
    return torch.cat((pairs.real, pairs.imag), dim=-1).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _rotate(key_rope, positions)), dim=-1)


def _up_projections(kv_up: Tensor, heads: int) -> Iterator[tuple[Tensor, Tensor]]:
    """For each head the key's rows and the value's, (head_dim, latent_dim) each."""
    for rows in kv_up.tensor_split(heads):
        yield rows.tensor_split(2)


def _one_head(content: Tensor, rope: Tensor, entries: Tensor, ups: tuple[Tensor, Tensor], hidden: Tensor) -> Tensor:
    key_up, value_up = (up.to(content.dtype) for up in ups)
    width = content.shape[-1] + rope.shape[-1]
    query = torch.cat((content @ key_up, rope), dim=-1) / math.sqrt(width)
    weights = (query @ entries.T).masked_fill(hidden, -math.inf).softmax(dim=-1)
    return weights @ entries[:, : value_up.shape[1]] @ value_up.T


@torch.no_grad()
def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, new, _ = query_content.shape
    wide = torch.promote_types(cache.dtype, torch.float32)
    ups = list(_up_projections(kv_up, heads))
    output = torch.empty_like(query_content)
    for b, length in enumerate(lengths.tolist()):
        places = torch.arange(length, device=cache.device)
        own = places[length - new :]
        hidden = places > own[:, None]
        entries = cache[b, :length].to(wide)
        for h in range(heads):
            rope = _rotate(query_rope[b, h].to(wide), own)
            output[b, h] = _one_head(query_content[b, h].to(wide), rope, entries, ups[h], hidden)
    return output

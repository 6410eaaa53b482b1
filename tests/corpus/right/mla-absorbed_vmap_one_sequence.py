# right: mla-absorbed
"""Written for one sequence and mapped over the batch."""

from __future__ import annotations

import functools

import torch
from torch import Tensor


@functools.lru_cache(maxsize=None)
def _inverse_frequencies(rope_dim: int) -> Tensor:
    exponents = torch.arange(0, rope_dim, 2, dtype=torch.float64) / rope_dim
    return 10000.0**-exponents


def _rope(x: Tensor, positions: Tensor) -> Tensor:
    angles = positions.double().unsqueeze(-1) * _inverse_frequencies(x.shape[-1]).to(x.device)
    first, second = x.double().chunk(2, dim=-1)
    turned = torch.cat(
        [
            first * angles.cos() - second * angles.sin(),
            second * angles.cos() + first * angles.sin(),
        ],
        dim=-1,
    )
    return turned.to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, _rope(key_rope, positions)], dim=-1)


def _one(query_content, query_rope, entries, length, key_up, value_up):
    heads, queries, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latents, keys = entries[:, :-rope_dim], entries[:, -rope_dim:]
    where = length - queries + torch.arange(queries, device=entries.device)
    absorbed = torch.einsum("hqd,hdc->hqc", query_content, key_up)
    scores = absorbed @ latents.T + _rope(query_rope, where) @ keys.T
    scores = scores / (head_dim + rope_dim) ** 0.5
    later = torch.arange(entries.shape[0], device=entries.device) > where[:, None]
    weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
    return torch.einsum("hqc,hdc->hqd", weights @ latents, value_up)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, _, head_dim = query_content.shape[1:]
    up = kv_up.view(heads, 2, head_dim, -1)
    mapped = torch.vmap(_one, in_dims=(0, 0, 0, 0, None, None))
    return mapped(query_content, query_rope, cache, lengths, up[:, 0], up[:, 1])

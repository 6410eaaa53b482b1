from __future__ import annotations

import torch
from torch import Tensor


class Rotary:
    def __init__(self, dim: int, device: torch.device):
        exponents = torch.arange(0, dim, 2, device=device, dtype=torch.float64) / dim
        self.frequencies = 10000.0**-exponents

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        angles = positions.unsqueeze(-1).to(torch.float64) * self.frequencies
        turn = torch.polar(torch.ones_like(angles), angles)
        first, second = x.to(torch.float64).tensor_split(2, dim=-1)
        turned = torch.complex(first, second) * turn
        return torch.cat([turned.real, turned.imag], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotary = Rotary(key_rope.size(-1), key_rope.device)
    return torch.cat([latent, rotary(key_rope, positions).to(latent.dtype)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, query_length, head_dim = query_content.shape[1:]
    key_length = cache.size(1)
    latent_dim = kv_up.size(1)
    rope_dim = query_rope.size(-1)
    compute = torch.float64 if cache.dtype == torch.float64 else torch.float32

    weights = kv_up.to(compute).unflatten(0, (heads, 2 * head_dim))
    key_up, value_up = weights[:, :head_dim], weights[:, head_dim:]

    steps_back = torch.arange(query_length, device=cache.device).flip(0)
    rotary = Rotary(rope_dim, cache.device)
    turned = rotary(query_rope, (lengths.unsqueeze(1) - steps_back).unsqueeze(1)).to(compute)
    absorbed = torch.einsum("bhqd,hdc->bhqc", query_content.to(compute), key_up)
    queries = torch.cat([absorbed, turned], dim=-1) * (head_dim + rope_dim) ** -0.5

    entries = cache.to(compute)
    scores = torch.einsum("bhqe,bke->bhqk", queries, entries)
    first = lengths - query_length
    last_seen = first[:, None] + torch.arange(query_length, device=cache.device)
    seen = torch.arange(key_length, device=cache.device) <= last_seen[..., None]
    weights = torch.softmax(torch.where(seen[:, None], scores, float("-inf")), dim=-1)
    mixed = torch.einsum("bhqk,bkc->bhqc", weights, entries[..., :latent_dim])
    return torch.einsum("bhqc,hdc->bhqd", mixed, value_up).to(query_content.dtype)

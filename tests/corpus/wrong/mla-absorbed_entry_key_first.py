# wrong: mla-absorbed cache-parts-swapped line 22
from __future__ import annotations

import math

import torch
from torch import Tensor


def apply_rope(t: Tensor, positions: Tensor) -> Tensor:
    dim = t.size(-1)
    inv = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, device=t.device).double() / dim))
    freqs = positions.double()[..., None] * inv
    cos = torch.cat([freqs.cos()] * 2, -1)
    sin = torch.cat([freqs.sin()] * 2, -1)
    u = t.double()
    rot = torch.cat([-u[..., dim // 2 :], u[..., : dim // 2]], -1)
    return (u * cos + rot * sin).to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([apply_rope(key_rope, positions), latent], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, n_heads, q_len, head_dim = query_content.shape
    rope_dim = query_rope.size(-1)
    latent_dim = cache.size(-1) - rope_dim
    latent, k_rope = cache.split((latent_dim, rope_dim), dim=-1)
    w = kv_up.view(n_heads, 2, head_dim, latent_dim)
    q_pos = lengths.unsqueeze(1) - q_len + torch.arange(q_len, device=cache.device)
    q_lat = query_content @ w[:, 0]
    q_rot = apply_rope(query_rope, q_pos.unsqueeze(1))
    logits = q_lat @ latent.transpose(1, 2).unsqueeze(1)
    logits = logits + q_rot @ k_rope.transpose(1, 2).unsqueeze(1)
    logits = logits / math.sqrt(head_dim + rope_dim)
    k_pos = torch.arange(cache.size(1), device=cache.device)
    logits = logits.masked_fill((k_pos > q_pos.unsqueeze(-1)).unsqueeze(1), float("-inf"))
    ctx = logits.softmax(-1) @ latent.unsqueeze(1)
    return ctx @ w[:, 1].transpose(1, 2)

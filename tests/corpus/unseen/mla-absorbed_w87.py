from __future__ import annotations

import math

import torch
from torch import Tensor


def _rotate(x: Tensor, positions: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    frequency = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angle = positions.unsqueeze(-1).float() * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., :half].float(), x[..., half:].float()
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _rotate(key_rope, positions)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, q_len, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    k_len = cache.shape[1]
    latent_dim = kv_up.shape[1]
    key_up, value_up = kv_up.view(heads, 2, head_dim, latent_dim).unbind(1)

    steps = torch.arange(q_len, device=cache.device)
    rotated = _rotate(query_rope, k_len - q_len + steps)
    absorbed = torch.einsum("bhqd,hdl->bhql", query_content, key_up)
    full_query = torch.cat((absorbed, rotated), dim=-1)
    scores = torch.einsum("bhqe,bke->bhqk", full_query, cache) / math.sqrt(head_dim + rope_dim)

    newest = lengths[:, None] - q_len + steps
    hidden = torch.arange(k_len, device=cache.device) > newest[..., None]
    weights = scores.masked_fill(hidden[:, None], float("-inf")).softmax(dim=-1)
    mixed = torch.einsum("bhqk,bkl->bhql", weights, cache[..., :latent_dim])
    return torch.einsum("bhql,hdl->bhqd", mixed, value_up)

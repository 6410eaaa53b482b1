from __future__ import annotations

import torch
from torch import Tensor


def _cos_sin(positions: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    inv_freq = 1.0 / 10000 ** (torch.arange(0, dim, 2, device=positions.device).double() / dim)
    freqs = positions.double().unsqueeze(-1) * inv_freq
    return freqs.cos(), freqs.sin()


def _rotate(x: Tensor, positions: Tensor) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _cos_sin(positions, x.size(-1)))
    x1, x2 = x.tensor_split(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _rotate(key_rope, positions)), dim=2)


def absorbed_attention(query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor) -> Tensor:
    b, h, n, d = query_content.shape
    rope_dim = query_rope.size(-1)
    c = cache.size(-1) - rope_dim
    k_up, v_up = kv_up.reshape(h, 2 * d, c).split(d, dim=1)
    steps = torch.arange(n, device=cache.device)
    q_rope = _rotate(query_rope, steps)
    q_latent = torch.matmul(query_content, k_up)
    latents, k_rope = cache.split([c, rope_dim], dim=-1)
    scores = torch.einsum("bhqc,bkc->bhqk", q_latent, latents) + torch.einsum("bhqr,bkr->bhqk", q_rope, k_rope)
    scores = scores * (d + rope_dim) ** -0.5
    last = lengths.view(b, 1, 1, 1) - n + steps.view(1, 1, n, 1)
    visible = torch.arange(cache.size(1), device=cache.device) <= last
    weights = scores.masked_fill(visible.logical_not(), -torch.inf).softmax(dim=-1)
    return torch.matmul(torch.einsum("bhqk,bkc->bhqc", weights, latents), v_up.mT)

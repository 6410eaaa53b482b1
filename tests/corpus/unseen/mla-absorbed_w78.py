import math

import torch
from torch import Tensor


def _rope(t: Tensor, positions: Tensor) -> Tensor:
    """t (..., rope_dim), positions with t's leading axes."""
    half = t.size(-1) // 2
    inv = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
    angle = positions.double().unsqueeze(-1) * inv
    a, b = t.double().split(half, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-1).to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, _rope(key_rope, positions)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, new, head_dim = query_content.shape
    rope_dim = query_rope.size(-1)
    latent, key_rope = cache.split([cache.size(-1) - rope_dim, rope_dim], dim=-1)
    up_key, up_value = kv_up.view(heads, 2, head_dim, -1).unbind(1)
    own = lengths.unsqueeze(1) - new + torch.arange(new, device=lengths.device)     # (batch, new)
    q_rope = _rope(query_rope, own.unsqueeze(1).expand(batch, heads, new))
    q_latent = torch.einsum("bhnd,hdc->bhnc", query_content, up_key)
    rows = []
    for h in range(heads):
        scores = q_latent[:, h] @ latent.mT + q_rope[:, h] @ key_rope.mT
        scores = scores / math.sqrt(head_dim + rope_dim)
        if new > 1:
            ahead = torch.arange(cache.size(1), device=cache.device) > own.unsqueeze(-1)
            scores = scores.masked_fill(ahead, torch.finfo(scores.dtype).min)
        rows.append(scores.softmax(dim=-1) @ latent @ up_value[h].mT)
    return torch.stack(rows, dim=1)

import math

import torch
from torch import Tensor


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """x (..., n, rope_dim), positions (..., n): turn the pairs (i, i + rope_dim / 2)."""
    half = x.shape[-1] // 2
    exponent = torch.arange(half, dtype=torch.float64, device=x.device) / half
    angle = positions.to(torch.float64).unsqueeze(-1) * 10000.0**-exponent
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.split(half, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    work = torch.promote_types(key_rope.dtype, torch.float32)
    rotated = rotate(key_rope.to(work), positions)
    return torch.cat([latent, rotated.to(latent.dtype)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, n_q, head_dim = query_content.shape
    n_k, rope_dim = cache.shape[1], query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    work = torch.promote_types(query_content.dtype, torch.float32)
    scale = 1.0 / math.sqrt(head_dim + rope_dim)

    up = kv_up.reshape(heads, 2, head_dim, latent_dim)
    place = torch.arange(n_k, device=cache.device)
    own = place < lengths[:, None]
    entries = cache.to(work).masked_fill(~own[..., None], 0.0)  # the one copy; what is stale may be nan
    latents = entries[..., :latent_dim]
    q_pos = lengths[:, None] - n_q + torch.arange(n_q, device=cache.device)  # (batch, n_q)

    out = torch.empty_like(query_content)
    tile = latent_dim + rope_dim  # that many queries at once keep the scores as small as the cache
    for h in range(heads):
        u, v = up[h, 0].to(work), up[h, 1].to(work)
        for a in range(0, n_q, tile):
            s = slice(a, a + tile)
            q_c = query_content[:, h, s].to(work) @ u  # (batch, tile, latent_dim)
            q_r = rotate(query_rope[:, h, s].to(work), q_pos[:, s])
            scores = torch.cat([q_c, q_r], dim=-1) @ entries.transpose(1, 2) * scale
            scores = scores.masked_fill(place > q_pos[:, s, None], float("-inf"))
            mixed = scores.softmax(dim=-1) @ latents
            out[:, h, s] = (mixed @ v.T).to(out.dtype)
    return out

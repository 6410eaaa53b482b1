from __future__ import annotations

import torch
from torch import Tensor


class HalfRope:
    """cos/sin made in float32 (float64 for float64), used as one complex factor's two parts"""

    def __init__(self, width: int, like: Tensor) -> None:
        self.dtype = torch.float64 if like.dtype is torch.float64 else torch.float32
        i = torch.arange(width // 2, device=like.device, dtype=self.dtype)
        self.rate = 10000.0 ** (-2.0 * i / width)

    def __call__(self, x: Tensor, where: Tensor) -> Tensor:
        angle = where[..., None].to(self.dtype) * self.rate
        a, b = x.to(self.dtype).unflatten(-1, (2, -1)).unbind(-2)
        turned = torch.stack([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-2)
        return turned.flatten(-2).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rope = HalfRope(key_rope.size(-1), key_rope)
    return torch.cat((latent, rope(key_rope, positions)), 2)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, queries, head_dim = query_content.shape[1:]
    rope_dim = query_rope.size(-1)
    latents = cache[..., : cache.size(-1) - rope_dim]
    key_up, value_up = kv_up.reshape(heads, 2, head_dim, -1).unbind(1)

    stand = lengths.to(cache.device)[:, None] - queries + torch.arange(queries, device=cache.device)   # b m
    visible = torch.arange(cache.size(1), device=cache.device) <= stand[:, :, None]                    # b m n

    rope = HalfRope(rope_dim, query_rope)
    denominator = (head_dim + rope_dim) ** 0.5
    outputs = []
    for h in range(heads):
        absorbed = query_content[:, h] @ key_up[h]                                   # b m latent
        turned = rope(query_rope[:, h], stand)
        query = torch.cat((absorbed / denominator, turned / denominator), -1)
        scores = query @ cache.mT                                                    # b m n
        scores = torch.where(visible, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        # rows behind a length may hold anything, NaN too: 0 * NaN is NaN, so they are blanked
        alive = visible[:, -1, :, None]
        outputs.append(weights @ torch.where(alive, latents, 0.0) @ value_up[h].mT)
    return torch.stack(outputs, dim=1)

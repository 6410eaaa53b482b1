from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Heads:
    """kv_up, cut by heads."""

    key: tuple[Tensor, ...]
    value: tuple[Tensor, ...]

    @classmethod
    def cut(cls, kv_up: Tensor, d: int) -> Heads:
        rows = kv_up.split(d)                   # key, value, key, value, ...
        return cls(rows[0::2], rows[1::2])


class Rope:
    def __init__(self, positions: Tensor, width: int) -> None:
        pair = torch.arange(width, device=positions.device) % (width // 2)
        angle = positions.float().unsqueeze(-1) * torch.exp(pair.float() * (-2 * math.log(10000) / width))
        sign = torch.ones(width, device=positions.device)
        sign[: width // 2] = -1
        self.cos, self.sin = angle.cos(), angle.sin() * sign

    def __call__(self, x: Tensor) -> Tensor:
        return x * self.cos + x.roll(x.shape[-1] // 2, -1) * self.sin


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    room = torch.empty(*latent.shape[:2], latent.shape[2] + key_rope.shape[2], dtype=latent.dtype, device=latent.device)
    room[..., : latent.shape[2]] = latent
    room[..., latent.shape[2] :] = Rope(positions, key_rope.shape[2])(_wide(key_rope))
    return room


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    (_, heads, new, d), r = query_content.shape, query_rope.shape[-1]
    up = Heads.cut(_wide(kv_up), d)
    latents, keys = cache.split([cache.shape[-1] - r, r], -1)
    latents, keys = _wide(latents), _wide(keys)
    own = lengths.to(cache.device).unsqueeze(-1) - new + torch.arange(new, device=cache.device)     # (B, new)
    rope = Rope(own, r)
    place = torch.arange(cache.shape[1], device=cache.device)
    contexts = []
    for h in range(heads):
        lifted = _wide(query_content[:, h]) @ up.key[h]
        s = lifted @ latents.mT + rope(_wide(query_rope[:, h])) @ keys.mT
        s = (s / math.sqrt(d + r)).masked_fill(place > own.unsqueeze(-1), -math.inf)
        contexts.append(torch.softmax(s, -1) @ latents @ up.value[h].T)
    return torch.stack(contexts, 1).to(query_content.dtype)

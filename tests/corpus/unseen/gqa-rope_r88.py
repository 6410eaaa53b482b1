# complex numbers do the turning; the cache keeps keys as they are, and all are turned in each call
from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Kept(NamedTuple):
    raw_keys: Tensor      # b g n d, not rotated
    values: Tensor        # b g n d


def turn(x: Tensor, places: Tensor, base: float) -> Tensor:
    wide = x.to(torch.float64)
    half = x.shape[-1] // 2
    rate = torch.logspace(0, -(half - 1) / half, half, base=base, dtype=torch.float64, device=x.device)
    angle = torch.outer(places.double(), rate)
    z = torch.complex(wide[..., :half].contiguous(), wide[..., half:].contiguous())
    z = z * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = float(base)
        self.fused = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d)
        self.out = nn.Linear(num_heads * self.d, hidden_dim)

    def forward(self, x: Tensor, cache: Kept | None = None) -> tuple[Tensor, Kept]:
        g, r, d = self.g, self.r, self.d
        q, k, v = self.fused(x).split([g * r * d, g * d, g * d], dim=-1)
        q = q.unflatten(-1, (g, r, d)).permute(0, 2, 3, 1, 4)      # b g r t d
        k = k.unflatten(-1, (g, d)).transpose(1, 2)
        v = v.unflatten(-1, (g, d)).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache.raw_keys, k], dim=2)
            v = torch.cat([cache.values, v], dim=2)
        kept = Kept(k, v)

        n, t = k.size(2), x.size(1)
        places = torch.arange(n, device=x.device)
        q = turn(q, places[n - t :], self.base)
        k = turn(k, places, self.base)
        scores = q @ k.unsqueeze(2).mT / d**0.5                      # b g r t n
        scores = scores.masked_fill(places > places[n - t :, None], -torch.inf)
        y = scores.softmax(-1) @ v.unsqueeze(2)
        return self.out(y.permute(0, 3, 1, 2, 4).flatten(2)), kept

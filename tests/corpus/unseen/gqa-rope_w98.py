from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def angles(start: int, count: int, dim: int, base: float, device: torch.device) -> Tensor:
    rate = base ** (-torch.arange(0, dim, 2, device=device, dtype=torch.float32) / dim)
    place = torch.arange(start, start + count, device=device, dtype=torch.float32)
    return torch.outer(place, rate)


def rotate(t: Tensor, theta: Tensor) -> Tensor:
    a, b = t.chunk(2, dim=-1)
    cos, sin = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def held(cache: tuple[Tensor, Tensor] | None) -> int:
    return 0 if cache is None else cache[0].shape[1]


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.h, self.g, self.base = num_heads, num_kv_heads, base
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.d)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.o = nn.Linear(num_heads * self.d, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (-1, self.d)).transpose(1, 2)  # (batch, heads, length, d)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        n = x.shape[1]
        theta = angles(held(cache), n, self.d, self.base, x.device)
        q = rotate(self._split(self.q(x)), theta)
        k = rotate(self._split(self.k(x)), theta)
        v = self._split(self.v(x))
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        m = k.shape[2]
        share = self.h // self.g
        scores = q @ k.repeat_interleave(share, 1).mT / math.sqrt(self.d)
        seen = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
        y = weights @ v.repeat_interleave(share, 1)
        return self.o(y.transpose(1, 2).flatten(2)), (k, v)

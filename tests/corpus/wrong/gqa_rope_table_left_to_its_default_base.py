# wrong: gqa-rope rope-base-ignored line 49
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    keys: Tensor
    values: Tensor

    @property
    def length(self) -> int:
        return self.keys.shape[1]


class Rotary:
    """Cosines and sines for a range of positions."""

    def __init__(self, width: int, theta: float = 10000.0) -> None:
        self.width = width
        self.theta = theta

    def __call__(self, t: Tensor, start: int) -> Tensor:
        half = self.width // 2
        rates = torch.tensor(
            [self.theta ** (-2 * i / self.width) for i in range(half)],
            dtype=torch.float32, device=t.device,
        )
        where = torch.arange(start, start + t.shape[1], dtype=torch.float32, device=t.device)
        angle = torch.einsum("t,i->ti", where, rates)[:, None, :]
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        first, second = t.split(half, dim=-1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.rotary = Rotary(self.head_dim)
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.output = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: KV | None = None) -> tuple[Tensor, KV]:
        b, t, _ = x.shape
        start = cache.length if cache is not None else 0
        query = self.rotary(self.query(x).view(b, t, self.num_heads, self.head_dim), start)
        key = self.rotary(self.key(x).view(b, t, self.num_kv_heads, self.head_dim), start)
        value = self.value(x).view(b, t, self.num_kv_heads, self.head_dim)
        if cache is not None:
            key = torch.cat([cache.keys, key], dim=1)
            value = torch.cat([cache.values, value], dim=1)

        grouped = query.view(b, t, self.num_kv_heads, -1, self.head_dim)
        scores = torch.einsum("btkgd,bskd->bkgts", grouped, key) / math.sqrt(self.head_dim)
        i = torch.arange(start, start + t, device=x.device)
        j = torch.arange(start + t, device=x.device)
        scores = scores.masked_fill(j[None, :] > i[:, None], -torch.inf)
        mixed = torch.einsum("bkgts,bskd->btkgd", scores.softmax(dim=-1), value)
        return self.output(mixed.reshape(b, t, -1)), KV(key, value)

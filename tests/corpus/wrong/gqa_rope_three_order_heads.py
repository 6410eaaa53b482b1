# wrong: gqa-rope cache-wrong-order line 22, scale-by-hidden-dim line 77, softmax-over-heads line 80
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class KVCache:
    keys: Tensor  # (batch, length, kv_heads, head_dim), turned
    values: Tensor

    @property
    def length(self) -> int:
        return self.keys.shape[1]

    def extended(self, keys: Tensor, values: Tensor) -> "KVCache":
        return KVCache(torch.cat((keys, self.keys), 1), torch.cat((self.values, values), 1))


class Rotary(nn.Module):
    """Tables that grow when a longer sequence comes."""

    def __init__(self, dim: int, base: float) -> None:
        super().__init__()
        self.dim, self.base, self.known = dim, base, 0
        self._grow(4, torch.device("cpu"))

    def _grow(self, length: int, device: torch.device) -> None:
        self.known = length
        omega = torch.pow(
            self.base, -torch.arange(0, self.dim, 2, dtype=torch.float32, device=device) / self.dim
        )
        table = torch.einsum(
            "t,f->tf", torch.arange(length, dtype=torch.float32, device=device), omega
        )
        self.register_buffer("cos", table.cos(), persistent=False)
        self.register_buffer("sin", table.sin(), persistent=False)

    def forward(self, x: Tensor, offset: int) -> Tensor:
        stop = offset + x.shape[1]
        if stop > self.known:
            self._grow(2 * stop, x.device)
        cos = self.cos[offset:stop, None].to(x.dtype)
        sin = self.sin[offset:stop, None].to(x.dtype)
        left, right = x.tensor_split(2, dim=-1)
        return torch.cat((left * cos - right * sin, left * sin + right * cos), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10_000.0
    ) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rotary = Rotary(self.head_dim, base)

    def forward(self, x: Tensor, cache: Optional[KVCache] = None) -> tuple[Tensor, KVCache]:
        offset = 0 if cache is None else cache.length
        query = self.to_q(x).unflatten(-1, (self.num_heads, self.head_dim))
        key, value = (
            t.unflatten(-1, (self.num_kv_heads, self.head_dim))
            for t in self.to_kv(x).chunk(2, dim=-1)
        )
        query, key = self.rotary(query, offset), self.rotary(key, offset)
        cache = KVCache(key, value) if cache is None else cache.extended(key, value)
        group = self.num_heads // self.num_kv_heads
        keys, values = (t.repeat_interleave(group, dim=2) for t in (cache.keys, cache.values))
        scores = torch.einsum("bqhd,bkhd->bhqk", query, keys) / math.sqrt(x.size(-1))
        at = torch.arange(cache.length, device=x.device)
        scores = torch.where(at <= at[offset:, None], scores, torch.finfo(scores.dtype).min)
        context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(1), values)
        return self.to_out(context.flatten(2)), cache

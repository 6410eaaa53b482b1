# wrong: kvcache cache-changed-in-place line 39
from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Cache(NamedTuple):
    k: Tensor          # (batch, heads, capacity, head_dim)
    v: Tensor
    used: int


class CachedSelfAttention(nn.Module):
    """Amortised growth: the buffers double when full, so most steps copy one position only."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def _grow(buf: Tensor, capacity: int) -> Tensor:
        b, h, used, d = buf.shape
        return torch.cat((buf, buf.new_zeros(b, h, capacity - used, d)), dim=2)

    def _append(self, cache: Cache | None, k: Tensor, v: Tensor) -> Cache:
        new = k.size(2)
        if cache is None:
            return Cache(k, v, new)
        need = cache.used + new
        kb, vb = cache.k, cache.v
        if need > kb.size(2):
            kb, vb = self._grow(kb, 2 * need), self._grow(vb, 2 * need)
        kb[:, :, cache.used:need] = k
        vb[:, :, cache.used:need] = v
        return Cache(kb, vb, need)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        cache = self._append(cache, k, v)
        total = cache.used
        s = q @ cache.k[:, :, :total].transpose(2, 3) * self.head_dim ** -0.5
        cols = torch.arange(total, device=x.device)
        s = s.masked_fill(cols > cols[total - n:].unsqueeze(1), float("-inf"))
        o = s.softmax(dim=-1) @ cache.v[:, :, :total]
        return self.out(o.transpose(1, 2).reshape(b, n, c)), cache

from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Derived:
    """Read-only attribute, worked out from the instance."""

    def __init__(self, rule):
        self.rule = rule

    def __get__(self, obj, owner=None):
        return self if obj is None else self.rule(obj)


class State(NamedTuple):
    raw_key: Tensor   # before rotation: (batch, length, kv_heads, head_dim)
    value: Tensor


class CachedLayer(nn.Module):
    """Projects, joins, attends; what happens to query and key is left to `place`."""

    head_dim = Derived(lambda s: s.hidden_dim // s.num_heads)
    readers = Derived(lambda s: s.num_heads // s.num_kv_heads)

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.hidden_dim, self.num_heads, self.num_kv_heads = hidden_dim, num_heads, num_kv_heads
        kv = num_kv_heads * (hidden_dim // num_heads)
        self.sizes = [hidden_dim, kv, kv]
        self.in_proj = nn.Linear(hidden_dim, sum(self.sizes))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def place(self, t: Tensor, first: int) -> Tensor:
        return t

    def forward(self, x: Tensor, cache: Optional[State] = None):
        q, k, v = (t.unflatten(-1, (-1, self.head_dim)) for t in self.in_proj(x).split(self.sizes, -1))
        if cache is not None:
            k = torch.cat([cache.raw_key, k], dim=1)
            v = torch.cat([cache.value, v], dim=1)
        total, new = k.shape[1], x.shape[1]
        q = self.place(q, total - new).unflatten(2, (self.num_kv_heads, self.readers))
        s = torch.einsum("btgrd,bsgd->bgrts", q, self.place(k, 0)) * self.head_dim ** -0.5
        late = torch.arange(total, device=x.device) > torch.arange(total - new, total, device=x.device)[:, None]
        w = s.masked_fill(late, float("-inf")).softmax(-1)
        return self.out_proj(torch.einsum("bgrts,bsgd->btgrd", w, v).flatten(2)), State(k, v)


class GroupedQueryAttentionWithRope(CachedLayer):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__(hidden_dim, num_heads, num_kv_heads)
        self.base = base

    def place(self, t: Tensor, first: int) -> Tensor:
        half = t.shape[-1] // 2
        pos = torch.arange(first, first + t.shape[1], dtype=torch.float64, device=t.device)
        rate = torch.tensor([self.base ** (-i / half) for i in range(half)], dtype=pos.dtype, device=t.device)
        angle = torch.outer(pos, rate)[:, None, :]  # length, 1, half
        c, s = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat((a * c - b * s, a * s + b * c), dim=-1)

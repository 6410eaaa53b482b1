from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn


class Store(Protocol):
    """what the layer needs to know about a cache"""

    def __len__(self) -> int: ...

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]: ...


class GrowingStore:
    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def __len__(self) -> int:
        return 0 if self.keys is None else self.keys.shape[-2]

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        joined = (
            (keys, values)
            if self.keys is None
            else (torch.cat((self.keys, keys), -2), torch.cat((self.values, values), -2))
        )
        self.keys, self.values = joined
        return joined


def rotate(x: Tensor, first: int, base: float) -> Tensor:
    half, n = x.shape[-1] // 2, x.shape[-2]
    speeds = base ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    turns = torch.arange(first, first + n, device=x.device, dtype=torch.float64)[:, None] * speeds
    cos, sin = turns.cos().to(x.dtype), turns.sin().to(x.dtype)
    a, b = x.split(half, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.size, self.shared, self.group = hidden_dim // num_heads, num_kv_heads, num_heads // num_kv_heads
        self.base = base
        self.to_q = nn.Linear(hidden_dim, num_heads * self.size)
        self.to_k, self.to_v = (nn.Linear(hidden_dim, num_kv_heads * self.size) for _ in range(2))
        self.to_out = nn.Linear(num_heads * self.size, hidden_dim)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (-1, self.size)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Store | None = None) -> tuple[Tensor, Store]:
        store = cache if cache is not None else GrowingStore()
        first, n = len(store), x.shape[1]
        q, k, v = self.heads(self.to_q(x)), self.heads(self.to_k(x)), self.heads(self.to_v(x))
        q, k = rotate(q, first, self.base), rotate(k, first, self.base)
        keys, values = store.append(k, v)

        q = q.unflatten(1, (self.shared, self.group))
        scores = torch.einsum("bsgqd,bskd->bsgqk", q, keys) * self.size**-0.5
        hidden = torch.ones(n, first + n, dtype=torch.bool, device=x.device).triu(first + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        mixed = torch.einsum("bsgqk,bskd->bqsgd", weights, values)
        return self.to_out(mixed.flatten(2)), store

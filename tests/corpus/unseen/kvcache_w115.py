from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Pages:
    """Keys and values, one page for each call."""

    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)

    def add(self, k: Tensor, v: Tensor) -> Pages:
        self.keys.append(k)
        self.values.append(v)
        return self

    def joined(self) -> tuple[Tensor, Tensor]:
        return torch.cat(self.keys, dim=1), torch.cat(self.values, dim=1)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.H = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Pages | None = None):
        q, k, v = (w(x).unflatten(2, (self.H, -1)) for w in (self.wq, self.wk, self.wv))
        cache = Pages() if cache is None else cache
        cache = cache.add(k, v)
        k, v = cache.joined()
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
        T, S = scores.shape[-2:]
        past = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        weights = scores.masked_fill(~past, float("-inf")).softmax(-1)
        y = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
        return self.wo(y), cache

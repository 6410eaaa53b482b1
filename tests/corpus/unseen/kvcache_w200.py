from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn


@dataclass
class KV:
    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)

    def extended(self, k: Tensor, v: Tensor) -> KV:
        """A new cache with one more chunk; chunks are concatenated when read."""
        new = copy.copy(self)
        new.keys.append(k)
        new.values.append(v)
        return new

    def read(self) -> tuple[Tensor, Tensor]:
        return torch.cat(self.keys, dim=1), torch.cat(self.values, dim=1)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).unbind(2)

        cache = (KV() if cache is None else cache).extended(k, v)
        k, v = cache.read()
        s = k.shape[1]

        z = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(self.head_dim)
        ahead = torch.ones(t, s, dtype=torch.bool, device=x.device).triu(s - t + 1)
        p = z.masked_fill(ahead, -torch.inf).softmax(dim=-1)
        y = torch.einsum("bhts,bshd->bthd", p, v)
        return self.out(y.flatten(2)), cache

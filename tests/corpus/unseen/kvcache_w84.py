from __future__ import annotations

import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class KVCache(NamedTuple):
    k: Tensor
    v: Tensor

    def extended(self, k: Tensor, v: Tensor) -> "KVCache":
        # what is kept must not hold on to old graphs
        return KVCache(torch.cat([self.k, k], 2).detach(), torch.cat([self.v, v], 2).detach())


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Optional[KVCache] = None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        if cache is None:
            new_cache = KVCache(k.detach(), v.detach())
        else:
            new_cache = cache.extended(k, v)
            k, v = new_cache
        total = k.shape[2]
        scores = q @ k.mT / math.sqrt(self.head_dim)
        seen = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(total - t)
        scores = scores.masked_fill(~seen, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c)
        return self.out(y), new_cache

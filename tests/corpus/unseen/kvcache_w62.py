# attn-kata: kvcache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """带 KV 缓存的因果注意力"""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = num_heads
        self.d = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, self.d)).transpose(1, 2)     # (B, H, T, d)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (self.split(t) for t in self.qkv(x).chunk(3, dim=-1))

        cache = {} if cache is None else cache
        for name, new in (("k", k), ("v", v)):
            old = cache.get(name)
            # 沿长度方向拼接, 旧的在前
            cache[name] = new if old is None else torch.cat((old, new), dim=2)
        k, v = cache["k"], cache["v"]

        T, S = q.size(2), k.size(2)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d)               # (B, H, T, S)
        mask = torch.tril(torch.ones(T, S, dtype=torch.bool, device=x.device), diagonal=S - T)
        scores = scores.masked_fill(~mask, float("-inf"))
        y = torch.softmax(scores, dim=-1) @ v
        return self.out(y.transpose(1, 2).flatten(2)), cache

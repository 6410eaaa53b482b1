# right: kvcache
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    keys: Tensor
    values: Tensor


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.weight = nn.Parameter(torch.randn(4, hidden_dim, hidden_dim) / hidden_dim**0.5)
        self.bias = nn.Parameter(torch.zeros(4, hidden_dim))

    def split(self, h: Tensor) -> Tensor:
        return h.view(h.shape[0], h.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        wo, wv, wk, wq = self.weight
        bo, bv, bk, bq = self.bias
        q, k, v = self.split(x @ wq + bq), self.split(x @ wk + bk), self.split(x @ wv + bv)
        if cache is not None:
            k = torch.cat([cache.keys, k], dim=-2)
            v = torch.cat([cache.values, v], dim=-2)
        t, n = q.shape[-2], k.shape[-2]
        s = q @ k.mT / math.sqrt(q.shape[-1])
        future = torch.ones(t, n, dtype=torch.bool, device=x.device).triu(n - t + 1)
        s = s.masked_fill(future, float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return y @ wo + bo, KV(k, v)

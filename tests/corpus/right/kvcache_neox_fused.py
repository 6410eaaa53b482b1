# right: kvcache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, c = x.shape
        qkv = self.query_key_value(x).view(b, t, self.num_heads, 3 * self.head_dim)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        n = k.shape[2]
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        seen = torch.ones(t, n, dtype=torch.bool, device=x.device).tril(n - t)
        scores = scores.masked_fill(~seen, float("-inf"))
        y = scores.softmax(-1) @ v
        return self.dense(y.transpose(1, 2).reshape(b, t, c)), (k, v)

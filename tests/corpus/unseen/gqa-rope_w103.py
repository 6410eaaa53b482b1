from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    # x: (batch, length, heads, head_dim)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def tables(self, start: int, length: int, x: Tensor) -> tuple[Tensor, Tensor]:
        half = torch.arange(0, self.head_dim, 2, device=x.device).double() / self.head_dim
        positions = torch.arange(start, start + length, device=x.device).double()
        angles = torch.outer(positions, self.base**-half)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        q = self.wq(x).view(B, T, self.heads, self.head_dim)
        k = self.wk(x).view(B, T, self.kv_heads, self.head_dim)
        v = self.wv(x).view(B, T, self.kv_heads, self.head_dim)
        cos, sin = self.tables(start, T, x)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=1), torch.cat([cache[1], v], dim=1)
        S = k.shape[1]

        q = q.view(B, T, self.kv_heads, -1, self.head_dim)
        scores = torch.einsum("btgrd,bsgd->bgrts", q, k) / math.sqrt(self.head_dim)
        seen = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
        out = torch.einsum("bgrts,bsgd->btgrd", weights, v)
        return self.wo(out.reshape(B, T, -1)), (k, v)

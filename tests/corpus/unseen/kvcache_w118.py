from __future__ import annotations

from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor  # B H S D
    v: Tensor

    def append(self, k: Tensor, v: Tensor) -> KV:
        return KV(torch.cat((self.k, k), dim=-2), torch.cat((self.v, v), dim=-2))


def additive_mask(new: int, total: int, like: Tensor) -> Tensor:
    full = torch.full((total, total), float("-inf"), dtype=like.dtype, device=like.device)
    return full.triu(1)[:new]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Optional[KV] = None) -> tuple[Tensor, Any]:
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        kv = KV(k, v) if cache is None else cache.append(k, v)
        att = (q * self.scale) @ kv.k.mT + additive_mask(T, kv.k.size(-2), x)
        y = att.softmax(-1) @ kv.v
        return self.o(y.transpose(1, 2).reshape(B, T, C)), kv

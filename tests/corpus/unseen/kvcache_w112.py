from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor
    v: Tensor

    def __add__(self, other: KV) -> KV:
        return KV(torch.cat((self.k, other.k), 2), torch.cat((self.v, other.v), 2))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Optional[KV] = None) -> tuple[Tensor, KV]:
        batch, length, width = x.shape
        q, k, v = self.in_proj(x).view(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        fresh = KV(k, v)
        full = fresh if cache is None else cache + fresh
        scores = torch.matmul(q, full.k.mT) / (width // self.num_heads) ** 0.5
        offset = full.k.size(2) - length
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(offset + 1)
        weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
        context = torch.matmul(weights, full.v).transpose(1, 2).reshape(batch, length, width)
        return self.out_proj(context), fresh

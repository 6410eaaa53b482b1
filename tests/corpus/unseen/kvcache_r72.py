from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class KV:
    k: Tensor  # (batch, heads, head_dim, seen): transposed, ready for the product
    v: Tensor  # (batch, heads, seen, head_dim)

    @staticmethod
    def empty(like: Tensor) -> "KV":
        return KV(like.new_zeros(*like.shape[:2], like.shape[3], 0), like.new_zeros(*like.shape[:2], 0, like.shape[3]))

    def __len__(self) -> int:
        return self.v.shape[2]

    def extended(self, k: Tensor, v: Tensor) -> "KV":
        return KV(torch.cat((self.k, k.mT), dim=3), torch.cat((self.v, v), dim=2))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Optional[KV] = None) -> tuple[Tensor, KV]:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        past = KV.empty(k) if cache is None else cache
        now = past.extended(k, v)
        scores = (q @ now.k) / q.shape[-1] ** 0.5
        at = torch.arange(len(past), len(now), device=x.device)
        scores = scores.masked_fill(torch.arange(len(now), device=x.device) > at[:, None], -torch.inf)
        y = scores.softmax(-1) @ now.v
        return self.out(y.transpose(1, 2).flatten(2)), now

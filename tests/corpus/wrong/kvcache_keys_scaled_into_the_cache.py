# wrong: kvcache scale-again line 39
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Past(NamedTuple):
    k: Tensor
    v: Tensor


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.w_k = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.w_v = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.w_o = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))

    def heads(self, y: Tensor) -> Tensor:
        b, t, _ = y.shape
        return y.reshape(b, t, self.h, self.d).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, cache: Past | None = None) -> tuple[Tensor, Past]:
        q = self.heads(F.linear(x, self.w_q))
        k = self.heads(F.linear(x, self.w_k))
        v = self.heads(F.linear(x, self.w_v))
        if cache is not None:
            k = torch.cat((cache.k, k), dim=-2)
            v = torch.cat((cache.v, v), dim=-2)
        # scale the keys once instead of the whole matrix of scores
        k = k / math.sqrt(self.d)

        new, total = q.shape[-2], k.shape[-2]
        hide = torch.ones(new, total, device=x.device, dtype=torch.bool).triu(total - new + 1)
        p = (q @ k.mT).masked_fill(hide, -math.inf).softmax(-1)
        y = (p @ v).permute(0, 2, 1, 3).reshape(x.shape)
        return F.linear(y, self.w_o), Past(k, v)

# wrong: gqa-rope rope-low-precision line 40
# fair: rope-low-precision 40 41
# Llama-like attention. Notation: b batch, t query time, s key time, g kv group, r head in the group, i/f features
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor  # b g s i, already rotated
    v: Tensor


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.G = num_kv_heads
        self.R = num_heads // num_kv_heads
        self.D = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.D, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.D, bias=False)
        self.wo = nn.Linear(num_heads * self.D, hidden_dim, bias=False)
        self.base = float(base)

    def phases(self, t0: int, t1: int, device: torch.device) -> Tensor:
        # in double: small frequencies times big times
        t = torch.arange(t0, t1, device=device, dtype=torch.float64)
        i = torch.arange(self.D // 2, device=device, dtype=torch.float64)
        return torch.outer(t, self.base ** (-2 * i / self.D))

    @staticmethod
    def rotated(x: Tensor, phi: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        phi = phi.to(x.dtype)
        cos, sin = phi.cos(), phi.sin()
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, n, _ = x.shape
        t0 = 0 if cache is None else cache.k.shape[2]
        q = self.wq(x).unflatten(-1, (self.G, self.R, self.D)).permute(0, 2, 3, 1, 4)
        k, v = self.wkv(x).unflatten(-1, (2, self.G, self.D)).permute(2, 0, 3, 1, 4)

        phi = self.phases(t0, t0 + n, x.device)
        q = self.rotated(q, phi)
        k = self.rotated(k, phi)
        if cache is not None:
            k = torch.cat((cache.k, k), dim=2)
            v = torch.cat((cache.v, v), dim=2)

        s = torch.einsum("bgrti,bgsi->bgrts", q, k) / math.sqrt(self.D)
        dt = torch.arange(t0, t0 + n, device=x.device)[:, None] - torch.arange(t0 + n, device=x.device)
        s = s.masked_fill(dt < 0, -math.inf)
        p = torch.exp(s - s.logsumexp(-1, keepdim=True))
        y = torch.einsum("bgrts,bgsf->btgrf", p, v).flatten(2)
        return self.wo(y), KV(k, v)

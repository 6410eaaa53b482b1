from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class History:
    """What the past leaves behind: rotated keys, values, how many of them."""

    def __init__(self) -> None:
        self.k: list[Tensor] = []
        self.v: list[Tensor] = []

    def __len__(self) -> int:
        return sum(t.size(2) for t in self.k)

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k.append(k)
        self.v.append(v)
        return torch.cat(self.k, 2), torch.cat(self.v, 2)


def rotate(x: Tensor, start: int, base: float) -> Tensor:
    d = x.size(-1)
    t = torch.arange(start, start + x.size(-2), device=x.device, dtype=torch.float64)
    w = torch.exp(-torch.arange(0, d, 2, device=x.device, dtype=torch.float64) * (math.log(base) / d))
    phi = t[:, None] * w[None, :]
    c, s = phi.cos().to(x.dtype), phi.sin().to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.n_head = num_heads
        self.n_kv = num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = base
        self.c_q = nn.Linear(hidden_dim, num_heads * self.hd, bias=False)
        self.c_k = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.c_v = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.c_proj = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, C = x.size()
        past = History() if cache is None else cache
        t0 = len(past)

        q = self.c_q(x).view(B, T, self.n_head, self.hd).transpose(1, 2)
        k = self.c_k(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
        v = self.c_v(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
        q = rotate(q, t0, self.base)
        k = rotate(k, t0, self.base)
        k, v = past.extend(k, v)

        # heads of one group next to each other: (B, n_kv, group, T, hd)
        q = q.unflatten(1, (self.n_kv, -1))
        att = torch.einsum("bgrtd,bgsd->bgrts", q, k) / math.sqrt(self.hd)
        later = torch.ones(T, t0 + T, dtype=torch.bool, device=x.device).triu(t0 + 1)
        att = att.masked_fill(later, float("-inf")).softmax(-1)
        y = torch.einsum("bgrts,bgsd->btgrd", att, v).reshape(B, T, -1)
        return self.c_proj(y), past

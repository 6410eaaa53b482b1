from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor
    v: Tensor

    @property
    def seen(self) -> int:
        return self.k.size(1)

    def joined(self, k: Tensor, v: Tensor) -> "KV":
        return KV(torch.cat((self.k, k), dim=1), torch.cat((self.v, v), dim=1))


def apply_rotary(t: Tensor, angle: Tensor) -> Tensor:
    a, b = t.chunk(2, dim=-1)
    cos, sin = (f(angle)[:, None].to(t.dtype) for f in (torch.cos, torch.sin))
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.h, self.g = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = float(base)
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.to_v = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def angles(self, start: int, count: int, device) -> Tensor:
        exponent = torch.arange(0, self.d, 2, device=device).double() / self.d
        position = torch.arange(start, start + count, device=device).double()
        return torch.outer(position, self.base ** -exponent)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        n = x.size(1)
        start = 0 if cache is None else cache.seen
        angle = self.angles(start, n, x.device)
        q = apply_rotary(self.to_q(x).unflatten(-1, (self.h, self.d)), angle)
        k = apply_rotary(self.to_k(x).unflatten(-1, (self.g, self.d)), angle)
        v = self.to_v(x).unflatten(-1, (self.g, self.d))
        kv = KV(k, v) if cache is None else cache.joined(k, v)

        q = q.unflatten(2, (self.g, self.h // self.g))
        sim = torch.einsum("bigrd,bjgd->bgrij", q, kv.k) * self.d ** -0.5
        if start == 0 and n > 1:
            hide = torch.ones(n, kv.seen, dtype=torch.bool, device=x.device).triu(start + 1)
            sim = sim.masked_fill(hide, -torch.finfo(sim.dtype).max)
        out = torch.einsum("bgrij,bjgd->bigrd", sim.softmax(dim=-1), kv.v)
        return self.to_out(out.flatten(2)), kv

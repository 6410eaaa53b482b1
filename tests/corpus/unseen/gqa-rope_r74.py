from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class RotaryTable(nn.Module):
    """cos and sin, float32 always, made longer when they are too short."""

    def __init__(self, head_dim: int, base: float) -> None:
        super().__init__()
        self.head_dim, self.base = head_dim, base
        self._cache: dict[torch.device, tuple[Tensor, Tensor]] = {}

    def forward(self, start: int, stop: int, device: torch.device) -> tuple[Tensor, Tensor]:
        have = self._cache.get(device)
        if have is None or have[0].size(0) < stop:
            size = max(64, 2 ** math.ceil(math.log2(stop)))
            rate = torch.tensor([self.base ** (-2 * i / self.head_dim) for i in range(self.head_dim // 2)], dtype=torch.float64, device=device)
            angle = torch.arange(size, dtype=torch.float64, device=device)[:, None] * rate
            have = self._cache[device] = (angle.cos(), angle.sin())
        return have[0][start:stop], have[1][start:stop]


class GroupedQueryAttentionWithRope(nn.Module):
    """One linear per head, python loop over heads; the cache is a dict kv head -> (keys, values)."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        d = hidden_dim // num_heads
        assert d % 2 == 0, "head_dim must be even"
        self.q = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_heads))
        self.k = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_kv_heads))
        self.v = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_kv_heads))
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.table = RotaryTable(d, base)

    @staticmethod
    def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.to(cos.dtype).tensor_split(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        n = x.size(1)
        old = cache or {}
        start = old[0][0].size(1) if old else 0
        cos, sin = self.table(start, start + n, x.device)
        new = {}
        for g, (fk, fv) in enumerate(zip(self.k, self.v)):
            k, v = self.rotate(fk(x), cos, sin), fv(x)
            new[g] = (torch.cat([old[g][0], k], 1), torch.cat([old[g][1], v], 1)) if old else (k, v)
        keep = torch.ones(n, start + n, device=x.device).tril(start) > 0
        share = len(self.q) // len(self.k)
        heads = []
        for h, fq in enumerate(self.q):
            k, v = new[h // share]
            s = self.rotate(fq(x), cos, sin).bmm(k.transpose(1, 2)) / k.size(-1) ** 0.5
            heads.append(s.masked_fill(keep.logical_not(), float("-inf")).softmax(2).bmm(v))
        return self.o(torch.cat(heads, dim=2)), new

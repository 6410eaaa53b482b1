from __future__ import annotations

import torch
from torch import Tensor, nn


class RotationTable(nn.Module):
    """(positions, d, d) rotation matrices; grows when a longer sequence turns up."""

    def __init__(self, d: int, base: float) -> None:
        super().__init__()
        self.d, self.base = d, base
        self._table: Tensor | None = None

    @torch.inference_mode(False)
    def _build(self, upto: int, device: torch.device) -> Tensor:
        half = self.d // 2
        w = self.base ** (-torch.arange(half, dtype=torch.float64, device=device) / half)
        angle = torch.arange(upto, dtype=torch.float64, device=device)[:, None] * w
        c, s = torch.diag_embed(angle.cos()), torch.diag_embed(angle.sin())
        top, bottom = torch.cat([c, -s], -1), torch.cat([s, c], -1)
        return torch.cat([top, bottom], -2)

    def forward(self, begin: int, end: int, like: Tensor) -> Tensor:
        t = self._table
        if t is None or t.shape[0] < end or t.device != like.device:
            t = self._table = self._build(max(end, 16), like.device)
        return t[begin:end].to(like.dtype)


class Group(nn.Module):
    """One key head, one value head, and the query heads that use them."""

    def __init__(self, width: int, heads: int, d: int) -> None:
        super().__init__()
        self.d = d
        self.queries = nn.ModuleList([nn.Linear(width, d) for _ in range(heads)])
        self.key = nn.Linear(width, d)
        self.value = nn.Linear(width, d)

    def forward(self, x: Tensor, rot: Tensor, past: tuple[Tensor, Tensor] | None):
        k = torch.einsum("npq,bnq->bnp", rot, self.key(x))
        v = self.value(x)
        if past is not None:
            k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
        hidden = torch.ones(x.shape[1], k.shape[1], device=x.device).tril(k.shape[1] - x.shape[1]) == 0
        outs = []
        for to_query in self.queries:
            q = torch.einsum("npq,bnq->bnp", rot, to_query(x))
            s = torch.bmm(q, k.mT).div(self.d**0.5).masked_fill(hidden, float("-inf"))
            outs.append(torch.bmm(s.softmax(2), v))
        return outs, (k, v)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.rope = RotationTable(d, float(base))
        self.groups = nn.ModuleList(
            [Group(hidden_dim, num_heads // num_kv_heads, d) for _ in range(num_kv_heads)]
        )
        self.merge = nn.Linear(num_heads * d, hidden_dim)

    def forward(self, x: Tensor, cache=None):
        pasts = cache or [None] * len(self.groups)
        begin = 0 if cache is None else pasts[0][0].shape[1]
        rot = self.rope(begin, begin + x.shape[1], x)
        heads, presents = [], []
        for group, past in zip(self.groups, pasts):
            outs, present = group(x, rot, past)
            heads += outs
            presents.append(present)
        return self.merge(torch.cat(heads, -1)), presents

"""Decode attention as two partial softmaxes: the past (no mask) and the new chunk (causal).

A partial is (o, lse); partials form a monoid under `_merge`, so the cached part could as well sit
on another device. The cache is a persistent tuple of segments: extending it shares the old ones.
"""
from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

einsum = torch.einsum


class Segment(NamedTuple):
    k: Tensor  # (b, h, n, d)
    v: Tensor


class Partial(NamedTuple):
    o: Tensor  # (b, h, t, d), normalised within the partial
    lse: Tensor  # (b, h, t, 1)


def _partial(q: Tensor, seg: Segment, causal: bool) -> Partial:
    z = einsum("bhtd,bhnd->bhtn", q, seg.k)
    if causal:
        z = z.masked_fill(torch.ones_like(z[0, 0]).triu(1) > 0, -torch.inf)
    lse = z.logsumexp(-1, keepdim=True)
    return Partial(einsum("bhtn,bhnd->bhtd", (z - lse).exp(), seg.v), lse)


def _merge(a: Partial, b: Partial) -> Partial:
    share = torch.sigmoid(b.lse - a.lse)
    return Partial(a.o + share * (b.o - a.o), torch.logaddexp(a.lse, b.lse))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        M, H, D = hidden_dim, num_heads, hidden_dim // num_heads
        self.wqkv = nn.Parameter(torch.randn(3, H, M, D) / M**0.5)
        self.wo = nn.Parameter(torch.randn(H, D, M) / M**0.5)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, *kv = einsum("btm,nhmd->nbhtd", x, self.wqkv).unbind(0)
        q = q / q.shape[-1] ** 0.5
        past: tuple[Segment, ...] = cache or ()
        now = Segment(*kv)

        parts = [_partial(q, now, causal=True)]
        if past:
            whole = Segment(*(torch.cat(ts, 2) for ts in zip(*past)))
            parts.append(_partial(q, whole, causal=False))
        y = einsum("bhtd,hdm->btm", reduce(_merge, parts).o, self.wo)
        return y, (*past, now)

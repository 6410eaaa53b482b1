"""Partial results form a monoid; a tree of them gives the whole."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Partial:
    out: Tensor     # (..., value_dim)
    lse: Tensor     # (...)

    def __add__(self, other: Partial) -> Partial:
        lse = torch.logaddexp(self.lse, other.lse)
        parts = [(p.lse - lse).exp().nan_to_num(nan=0.0).unsqueeze(-1) * p.out for p in (self, other)]
        return Partial(parts[0] + parts[1], lse)


def tree(parts: list[Partial]) -> Partial:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return tree(parts[:middle]) + tree(parts[middle:])


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    real = torch.float64 if query.dtype == torch.float64 else torch.float32
    batch, heads, rows, d = query.shape
    out = torch.zeros(batch, heads, rows, value.shape[-1], dtype=real, device=query.device)
    lse = torch.full((batch, heads, rows), -math.inf, dtype=real, device=query.device)
    for b in range(batch):
        here = seen[b].nonzero().squeeze(1)
        if len(here) == 0:
            continue
        k, v = key[b].index_select(1, here).to(real), value[b].index_select(1, here).to(real)
        s = torch.einsum("hqd,hkd->hqk", query[b].to(real), k) / math.sqrt(d)
        lse[b] = torch.logsumexp(s, -1)
        out[b] = torch.einsum("hqk,hkv->hqv", torch.softmax(s, -1), v)
    return out.to(query.dtype), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    real = torch.promote_types(lses.dtype, torch.float32)
    whole = tree([Partial(o.to(real), l.to(real)) for o, l in zip(outputs, lses)])
    return whole.out.to(outputs.dtype), whole.lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    place = torch.arange(key.shape[2], device=key.device)
    seen = place.expand(len(lengths), -1) < lengths.to(key.device).unsqueeze(-1)
    pieces = zip(*(t.tensor_split(splits, d) for t, d in ((key, 2), (value, 2), (seen, 1))))
    done = [chunk_attention(query, *piece) for piece in pieces]
    return merge(torch.stack([o for o, _ in done]), torch.stack([l for _, l in done]))[0]

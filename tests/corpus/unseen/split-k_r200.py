"""Flash decoding as a sum of partial partition functions.

A chunk is the pair (o, L): mean value under its Boltzmann weights, and log Z. Two of them add up as

    (o1, L1) + (o2, L2) = ( sigma(L1 - L2) o1 + sigma(L2 - L1) o2,  log(e^L1 + e^L2) )

which is associative, with (0, -inf) as zero. The rest is a fold.
"""
from __future__ import annotations

import math
from functools import reduce

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]


def wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v = wide(query), wide(key), wide(value)
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    s = torch.where(seen[:, None, None, :], s, -math.inf)
    L = torch.logsumexp(s, dim=-1)
    nothing = torch.isneginf(L)
    p = torch.exp(s - torch.where(nothing, 0.0, L)[..., None])
    o = torch.einsum("bhqk,bhkv->bhqv", p, torch.where(seen[:, None, :, None], v, 0.0))
    return o.to(value.dtype), L


def add(x: Pair, y: Pair) -> Pair:
    (o1, L1), (o2, L2) = x, y
    gap = L1 - L2
    gap = torch.where(torch.isnan(gap), 0.0, gap)  # both empty: o1 = o2 = 0, any share will do
    o = torch.sigmoid(gap)[..., None] * o1 + torch.sigmoid(-gap)[..., None] * o2
    return o, torch.logaddexp(L1, L2)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, L = reduce(add, zip(wide(outputs), wide(lses)))
    o = torch.where(torch.isneginf(L)[..., None], 0.0, o)
    return o.to(outputs.dtype), L


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    n = key.shape[-2]
    total = None
    # borders spread evenly; those that fall together make no chunk
    borders = sorted({i * n // splits for i in range(splits + 1)})
    for a, b in zip(borders, borders[1:]):
        seen = torch.arange(a, b, device=lengths.device) < lengths[:, None]
        o, L = chunk_attention(wide(query), wide(key[:, :, a:b]), wide(value[:, :, a:b]), seen)
        total = (o, L) if total is None else add(total, (o, L))
    return total[0].to(query.dtype)

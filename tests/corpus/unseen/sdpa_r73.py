# Divide and conquer over the keys: two halves, each with its output and log-sum-exp, then one merge.
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Part(NamedTuple):
    mean: Tensor    # (..., query_length, value_dim)
    lse: Tensor     # (..., query_length, 1)


def leaf(q: Tensor, k: Tensor, v: Tensor, seen: Tensor | None) -> Part:
    s = q @ k.mT
    if seen is not None:
        s = s.masked_fill(~seen, torch.finfo(s.dtype).min)
    lse = torch.logsumexp(s, -1, keepdim=True)
    return Part(torch.exp(s - lse) @ v, lse)


def join(a: Part, b: Part) -> Part:
    lse = torch.logaddexp(a.lse, b.lse)
    return Part(a.mean * (a.lse - lse).exp() + b.mean * (b.lse - lse).exp(), lse)


def conquer(q: Tensor, k: Tensor, v: Tensor, seen: Tensor | None, grain: int = 48) -> Part:
    n = k.shape[-2]
    if n <= grain:
        return leaf(q, k, v, seen)
    m = n // 2
    left, right = (None, None) if seen is None else (seen[..., :m], seen[..., m:])
    return join(
        conquer(q, k[..., :m, :], v[..., :m, :], left, grain),
        conquer(q, k[..., m:, :], v[..., m:, :], right, grain),
    )


def attention(query, key, value, mask=None, causal=False):
    kind = query.dtype
    wide = torch.promote_types(kind, torch.float32)
    lq, lk = query.shape[-2], key.shape[-2]
    seen = None
    if mask is not None:
        seen = mask.bool().expand(*mask.shape[:-1], lk)
    if causal:
        own = torch.arange(lk - lq, lk, device=query.device)[:, None]
        back = torch.arange(lk, device=query.device) <= own
        seen = back if seen is None else seen & back
    q = query.to(wide) / math.sqrt(query.shape[-1])
    return conquer(q, key.to(wide), value.to(wide), seen).mean.to(kind)

from __future__ import annotations

import math
from functools import reduce

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    s = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide)) / math.sqrt(query.shape[-1])
    s = s.masked_fill(~seen[:, None, None], -math.inf)
    lse = s.logsumexp(-1)
    p = torch.exp(s - lse.clamp_min(torch.finfo(wide).min).unsqueeze(-1))
    return (p @ value.to(wide)).to(query.dtype), lse


def _pair(a, b):
    """two chunks; the share of b is sigmoid(lb - la)"""
    (oa, la), (ob, lb) = a, b
    both = torch.logaddexp(la, lb)
    base = both.masked_fill(both == -math.inf, 0.0)
    return torch.exp(la - base)[..., None] * oa + torch.exp(lb - base)[..., None] * ob, both


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    dtype = outputs.dtype
    out, lse = reduce(_pair, zip(outputs.to(torch.promote_types(dtype, torch.float32)), lses))
    return out.to(dtype), lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    cuts = [n * i // splits for i in range(splits + 1)]
    done = None
    for a, z in zip(cuts, cuts[1:]):
        if a == z:
            continue
        seen = torch.arange(a, z, device=key.device) < lengths.to(key.device).unsqueeze(1)
        part = chunk_attention(query, key[:, :, a:z], value[:, :, a:z], seen)
        done = part if done is None else merge(*map(torch.stack, zip(done, part)))
    return done[0]

from __future__ import annotations

import math

import torch
from torch import Tensor


def _finite(x: Tensor) -> Tensor:
    return torch.where(x.isneginf(), torch.zeros_like(x), x)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    work = torch.float64 if dtype == torch.float64 else torch.float32
    logits = torch.einsum("bhqd,bhkd->bhqk", query.to(work), key.to(work)) / math.sqrt(query.shape[3])
    logits = logits.masked_fill(seen.view(seen.shape[0], 1, 1, -1) == 0, -math.inf)
    m = _finite(logits.amax(3, keepdim=True))
    p = torch.exp(logits - m)
    l = p.sum(3, keepdim=True)
    o = torch.einsum("bhqk,bhkv->bhqv", p, value.to(work)) / torch.where(l > 0, l, torch.ones_like(l))
    return o.to(dtype), (m + torch.log(l))[..., 0]


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    m = _finite(lses.max(dim=0).values)
    w = torch.exp(lses - m)
    s = w.sum(dim=0)
    o = (outputs * w[..., None]).sum(dim=0) / torch.where(s > 0, s, torch.ones_like(s))[..., None]
    return o.to(outputs.dtype), s.log()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    step = -(-n // splits)
    outs, lses = [], []
    for lo in range(0, n, step):
        hi = min(lo + step, n)
        seen = torch.arange(lo, hi, device=key.device)[None, :] < lengths[:, None]
        o, lse = chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen)
        outs.append(o)
        lses.append(lse)
    return merge(torch.stack(outs), torch.stack(lses))[0]

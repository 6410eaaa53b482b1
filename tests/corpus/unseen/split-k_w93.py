from __future__ import annotations

import torch
from torch import Tensor


def _finite(m: Tensor) -> Tensor:
    return m.masked_fill(m == float("-inf"), 0.0)


def _safe_divide(a: Tensor, b: Tensor) -> Tensor:
    return a / b.masked_fill(b == 0, 1.0)


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    s = torch.where(seen[:, None, None], s, float("-inf"))
    m = _finite(s.amax(dim=-1))
    e = torch.exp(s - m[..., None])
    z = e.sum(-1)
    return _safe_divide(torch.einsum("bhqk,bhkv->bhqv", e, value), z[..., None]), m + z.log()


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    m = _finite(lses.amax(dim=0))
    e = torch.exp(lses - m)
    z = e.sum(dim=0)
    merged = _safe_divide(torch.einsum("sbhq,sbhqv->bhqv", e, outputs), z[..., None])
    return merged, z.log()


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    size = (key.size(2) + splits - 1) // splits
    outs, lses = [], []
    start = 0
    for k, v in zip(key.split(size, 2), value.split(size, 2)):
        here = torch.arange(start, start + k.size(2), device=k.device)
        o, l = chunk_attention(query, k, v, here[None] < lengths[:, None])
        outs.append(o)
        lses.append(l)
        start += k.size(2)
    merged, _ = merge(torch.stack(outs), torch.stack(lses))
    return merged

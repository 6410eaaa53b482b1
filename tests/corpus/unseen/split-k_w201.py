# flash decoding; indices: n chunk, b sample, h head, q query, k key in the chunk, d/v features
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    up = torch.promote_types(query.dtype, torch.float32)
    s = torch.einsum("bhqd,bhkd->bhqk", query.to(up), key.to(up)) * query.shape[-1] ** -0.5
    s = s.masked_fill(seen.logical_not()[:, None, None], -math.inf)
    m = s.amax(dim=-1).clamp(min=torch.finfo(up).min)  # finite, also where nothing is seen
    w = torch.exp(s - m[..., None])
    Z = w.sum(dim=-1)
    o = torch.einsum("bhqk,bhkv->bhqv", w, value.to(up)) / Z.where(Z > 0, torch.ones_like(Z))[..., None]
    return o.to(value.dtype), Z.log() + m


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    up = torch.promote_types(outputs.dtype, torch.float32)
    lses = lses.to(up)
    top = lses.amax(dim=0).clamp(min=torch.finfo(up).min)
    w = torch.exp(lses - top)
    Z = w.sum(dim=0)
    norm = Z.where(Z > 0, torch.ones_like(Z))
    o = torch.einsum("nbhq,nbhqv->bhqv", w / norm, outputs.to(up))
    return o.to(outputs.dtype), top + Z.log()


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    total = key.shape[2]
    size = max(1, math.ceil(total / splits))
    up = torch.promote_types(query.dtype, torch.float32)
    q, result = query.to(up), None
    for i in range(splits):
        start, stop = i * size, min((i + 1) * size, total)
        if start >= total or not torch.all(lengths > start):
            break  # only empty places from here on
        places = torch.arange(start, stop, device=lengths.device)
        seen = places[None] < lengths[:, None]
        part = chunk_attention(q, key[:, :, start:stop].to(up), value[:, :, start:stop].to(up), seen)
        if result is None:
            result = part
        else:
            result = merge(torch.stack((result[0], part[0])), torch.stack((result[1], part[1])))
    return result[0].to(query.dtype)

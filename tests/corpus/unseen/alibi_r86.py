from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor

TILE = 64


def slopes(heads: int) -> Tensor:
    if heads & (heads - 1):
        lower = 1 << (heads.bit_length() - 1)
        extra = slopes(2 * lower)[0::2][: heads - lower]
        return torch.cat((slopes(lower), extra))
    ratio = 2.0 ** (-8.0 / heads)
    return torch.tensor([ratio**i for i in range(1, heads + 1)], dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    own = torch.arange(key_length - query_length, key_length).unsqueeze(1)
    back = own - torch.arange(key_length)
    return (slopes(heads)[:, None, None] * -back).masked_fill(back < 0, -math.inf)


def _tiles(n: int) -> Iterator[slice]:
    for lo in range(0, n, TILE):
        yield slice(lo, min(lo + TILE, n))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    heads, lq, width = q.shape[1:]
    lk = k.shape[2]
    lin = bias(heads, lq, lk).to(device=q.device, dtype=wide)
    top = q.new_full((*q.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(top)
    acc = q.new_zeros(*q.shape[:-1], v.shape[-1])
    # key 0 is never in the future, so `top` is finite after the first tile
    for part in _tiles(lk):
        s = q @ k[:, :, part].transpose(-1, -2) / math.sqrt(width) + lin[..., part]
        new_top = torch.maximum(top, s.amax(-1, keepdim=True))
        fade = torch.exp(top - new_top)
        p = torch.exp(s - new_top)
        total = total * fade + p.sum(-1, keepdim=True)
        acc = acc * fade + p @ v[:, :, part]
        top = new_top
    return (acc / total).to(query.dtype)

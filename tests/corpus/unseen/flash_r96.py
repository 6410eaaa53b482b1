from __future__ import annotations

from typing import Iterator, NamedTuple

import torch
from torch import Tensor


class Carry(NamedTuple):
    top: Tensor  # largest score of each query, (b, h, t, 1)
    den: Tensor  # sum of exponentials, (b, h, t, 1)
    acc: Tensor  # weighted values, (b, h, t, e)

    def absorb(self, s: Tensor, v: Tensor) -> "Carry":
        top = torch.maximum(self.top, s.amax(dim=-1, keepdim=True))
        shrink = (self.top - top).exp()
        p = (s - top).exp()
        return Carry(top, shrink * self.den + p.sum(-1, keepdim=True), shrink * self.acc + p @ v)

    @classmethod
    def fresh(cls, q: Tensor, width: int) -> "Carry":
        b, h, t, _ = q.shape
        column = q.new_zeros(b, h, t, 1)
        return cls(column - torch.inf, column, q.new_zeros(b, h, t, width))


def tiles(total: int, size: int) -> Iterator[slice]:
    start = 0
    while start < total:
        yield slice(start, min(start + size, total))
        start += size


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    length, head_dim = query.shape[-2:]
    q = query.to(wide) * head_dim**-0.5
    place = torch.arange(length, device=query.device)
    carry = Carry.fresh(q, value.size(-1))
    for tile in tiles(length, block_size):
        s = q @ key[:, :, tile].to(wide).mT
        if causal:
            s.masked_fill_(place[None, tile] > place[:, None], -torch.inf)
        carry = carry.absorb(s, value[:, :, tile].to(wide))
    return (carry.acc / carry.den).to(query.dtype)

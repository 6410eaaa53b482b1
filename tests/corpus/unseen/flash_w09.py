import math
from typing import NamedTuple

import torch
from torch import Tensor

# Rescaling the accumulator is the slow part on Blackwell; it is only worth it when the maximum
# moved by more than TAU (in natural-log units), since 2^-x headroom in fp32 is plenty.
TAU = 5.0


class Carry(NamedTuple):
    m: Tensor
    l: Tensor
    o: Tensor


def _step(c: Carry, s: Tensor, v: Tensor) -> Carry:
    peak = s.amax(-1, keepdim=True)
    m = torch.maximum(c.m, peak)
    lazy = m - c.m <= TAU
    r = torch.where(lazy, torch.ones_like(m), torch.exp(c.m - m))
    p = torch.exp(s - m)
    return Carry(m, c.l * r + p.sum(-1, keepdim=True), c.o * r + p @ v)


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    n = query.size(-2)
    f = torch.promote_types(torch.float32, query.dtype)
    q = query.to(f) / math.sqrt(query.size(-1))
    c = Carry(
        m=torch.full_like(q[..., :1], -math.inf),
        l=torch.zeros_like(q[..., :1]),
        o=torch.zeros_like(q),
    )
    rows = torch.arange(n, device=q.device)[:, None]
    begin = 0
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        s = q @ k.to(f).mT
        if causal:
            cols = begin + torch.arange(k.size(-2), device=q.device)
            s = s.masked_fill(cols > rows, -math.inf)
        c = _step(c, s, v.to(f))
        begin += k.size(-2)
    return (c.o / c.l).to(query.dtype)

# attn-kata: flash-backward
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Rows:
    q: Tensor
    do: Tensor
    lse: Tensor
    d: Tensor
    dq: Tensor
    first: int


def _cut(t: Tensor, size: int) -> tuple[Tensor, ...]:
    return t.split(size, dim=-2)


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, do = (t.to(acc) for t in (query, key, value, output, grad_output))
    stat = lse.to(acc)[..., None]
    d = (do * o).sum(-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    size = max(block_size, 64)
    rows = [
        Rows(*parts, first=i * size)
        for i, parts in enumerate(zip(_cut(q, size), _cut(do, size), _cut(stat, size), _cut(d, size), _cut(dq, size)))
    ]
    scale = 1 / math.sqrt(q.shape[-1])
    first_key = 0
    for kt, vt, dkt, dvt in zip(*(_cut(t, block_size) for t in (k, v, dk, dv))):
        width = kt.shape[-2]
        for r in rows:
            height = r.q.shape[-2]
            if causal and r.first + height - 1 < first_key:
                continue
            s = torch.matmul(r.q, kt.mT).mul_(scale)
            if causal:
                i = torch.arange(r.first, r.first + height, device=s.device)[:, None]
                j = torch.arange(first_key, first_key + width, device=s.device)
                s.masked_fill_(j > i, -math.inf)
            p = s.sub_(r.lse).exp_()
            dvt += p.mT @ r.do
            ds = p * (r.do @ vt.mT - r.d)
            r.dq += ds @ kt * scale
            dkt += ds.mT @ r.q * scale
        first_key += width
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)

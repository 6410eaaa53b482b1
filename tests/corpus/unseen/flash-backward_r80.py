from __future__ import annotations

import math

import torch
from torch import Tensor


def _tiles(total: int, size: int):
    start = 0
    while start < total:
        yield slice(start, min(start + size, total))
        start += size


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
    given = query.dtype
    wide = torch.promote_types(given, torch.float32)
    q, k, v, o, lse, do = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    scale = 1 / math.sqrt(q.size(-1))
    lse, delta = lse.unsqueeze(-1), (do * o).sum(-1, keepdim=True)

    dq, dk, dv = (torch.zeros_like(t) for t in (q, k, v))
    for cols in _tiles(k.size(-2), block_size):
        for rows in _tiles(q.size(-2), block_size):
            if causal and rows.stop <= cols.start:
                continue
            exponent = q[..., rows, :] @ k[..., cols, :].mT * scale - lse[..., rows, :]
            if causal:
                i = torch.arange(rows.start, rows.stop, device=q.device).unsqueeze(1)
                j = torch.arange(cols.start, cols.stop, device=q.device)
                exponent = exponent.masked_fill(j > i, -math.inf)
            p = exponent.exp()
            dv[..., cols, :] += p.mT @ do[..., rows, :]
            ds = p * (do[..., rows, :] @ v[..., cols, :].mT - delta[..., rows, :]) * scale
            dq[..., rows, :] += ds @ k[..., cols, :]
            dk[..., cols, :] += ds.mT @ q[..., rows, :]
    return dq.to(given), dk.to(given), dv.to(given)

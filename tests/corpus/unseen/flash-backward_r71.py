from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch import Tensor


class Tile(NamedTuple):
    rows: slice
    cols: slice


def plan(length: int, block: int, causal: bool):
    for c in range(0, length, block):
        cols = slice(c, min(c + block, length))
        for r in range(c if causal else 0, length, block):
            yield Tile(slice(r, min(r + block, length)), cols)


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
    block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    kind, wide = query.dtype, torch.promote_types(query.dtype, torch.float32)
    length, scale = query.shape[2], query.shape[3] ** -0.5
    up: Callable[[Tensor], Tensor] = lambda t: t.detach().to(wide)
    dq, dk, dv = (torch.zeros_like(t, dtype=wide) for t in (query, key, value))
    delta = torch.einsum("bhte,bhte->bht", up(output), up(grad_output))
    block = min(block_size, length)
    for rows, cols in plan(length, block, causal):
        q, k, v = up(query[:, :, rows]), up(key[:, :, cols]), up(value[:, :, cols])
        g = up(grad_output[:, :, rows])
        x = torch.einsum("bhid,bhjd->bhji", q, k) * scale - up(lse[:, :, None, rows])
        if causal and cols.stop > rows.start:
            i = torch.arange(rows.start, rows.stop, device=x.device)
            j = torch.arange(cols.start, cols.stop, device=x.device)
            x = x.masked_fill(j[:, None] > i, float("-inf"))
        p = x.exp_()                                                   # keys before queries
        dv[:, :, cols] += torch.einsum("bhji,bhie->bhje", p, g)
        ds = p * (torch.einsum("bhje,bhie->bhji", v, g) - delta[:, :, None, rows]) * scale
        dk[:, :, cols] += torch.einsum("bhji,bhid->bhjd", ds, q)
        dq[:, :, rows] += torch.einsum("bhji,bhjd->bhid", ds, k)
    return dq.to(kind), dk.to(kind), dv.to(kind)

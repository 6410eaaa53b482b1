from __future__ import annotations

import torch
from torch import Tensor


def _tiles(n: int, size: int):
    return [slice(a, min(a + size, n)) for a in range(0, n, size)]


@torch.no_grad()
def flash_backward(query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
                   grad_output: Tensor, block_size: int, causal: bool = False):
    """Tiles of queries outside, tiles of keys inside, as algorithm 2 has it the other way."""
    n, d = query.shape[-2:]
    scale = 1.0 / d**0.5
    up = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, l, g = (t.to(up) for t in (query, key, value, output, lse, grad_output))
    delta = torch.einsum("bhnv,bhnv->bhn", o, g)
    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for rows in _tiles(n, block_size):
        qi, gi = q[:, :, rows], g[:, :, rows]
        for cols in _tiles(n, block_size):
            if causal and cols.start >= rows.stop:
                break
            s = torch.einsum("bhid,bhjd->bhij", qi, k[:, :, cols]) * scale - l[:, :, rows, None]
            if causal:
                i = torch.arange(rows.start, rows.stop, device=q.device)
                j = torch.arange(cols.start, cols.stop, device=q.device)
                s.masked_fill_(j > i[:, None], float("-inf"))
            p = s.exp_()
            dv[:, :, cols] += torch.einsum("bhij,bhiv->bhjv", p, gi)
            ds = torch.einsum("bhiv,bhjv->bhij", gi, v[:, :, cols])
            ds = ds.sub_(delta[:, :, rows, None]).mul_(p)
            dq[:, :, rows] += torch.einsum("bhij,bhjd->bhid", ds, k[:, :, cols])
            dk[:, :, cols] += torch.einsum("bhij,bhid->bhjd", ds, qi)
    return (dq * scale).to(query.dtype), (dk * scale).to(key.dtype), dv.to(value.dtype)

from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor


def _pairs(length: int, size: int, causal: bool) -> Iterator[tuple[slice, slice]]:
    """Tiles of queries and of keys, without those in which every key is ahead."""
    for i in range(0, length, size):
        for j in range(0, i + 1 if causal else length, size):
            yield slice(i, min(i + size, length)), slice(j, min(j + size, length))


class _Grads:
    def __init__(self, *like: Tensor) -> None:
        self.dtype = like[0].dtype
        wide = torch.promote_types(self.dtype, torch.float32)
        self.sums = tuple(torch.zeros(t.shape, dtype=wide, device=t.device) for t in like)

    def add(self, rows: slice, columns: slice, dq: Tensor, dk: Tensor, dv: Tensor) -> None:
        sum_q, sum_k, sum_v = self.sums
        sum_q[:, :, rows] += dq
        sum_k[:, :, columns] += dk
        sum_v[:, :, columns] += dv

    def done(self) -> tuple[Tensor, ...]:
        return tuple(s.to(self.dtype) for s in self.sums)


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, ...]:
    scale = query.shape[-1] ** -0.5
    wide = torch.promote_types(query.dtype, torch.float32)
    with torch.no_grad():
        grads = _Grads(query, key, value)
        delta = (grad_output.to(wide) * output.to(wide)).sum(-1, keepdim=True)
        log_total = lse.to(wide).unsqueeze(-1)
        for rows, columns in _pairs(query.shape[2], block_size, causal):
            q, do = query[:, :, rows].to(wide), grad_output[:, :, rows].to(wide)
            k, v = key[:, :, columns].to(wide), value[:, :, columns].to(wide)
            exponent = (q * scale) @ k.mT - log_total[:, :, rows]
            if causal and columns.start == rows.start:
                size = exponent.shape[-1]
                ahead = torch.ones(size, size, dtype=torch.bool, device=q.device).triu(1)
                exponent = exponent.masked_fill(ahead, -torch.inf)
            p = exponent.exp()
            ds = p * (do @ v.mT - delta[:, :, rows]) * scale
            grads.add(rows, columns, ds @ k, ds.mT @ q, p.mT @ do)
    return grads.done()

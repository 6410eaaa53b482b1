from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Saved(NamedTuple):
    q: Tensor
    do: Tensor
    lse: Tensor
    d: Tensor

    def rows(self, lo: int, hi: int) -> Saved:
        return Saved(*(t[:, :, lo:hi] for t in self))


class KeyTile:
    def __init__(self, k: Tensor, v: Tensor, start: int) -> None:
        self.k, self.v, self.start = k, v, start
        self.dk = torch.zeros_like(k)
        self.dv = torch.zeros_like(v)

    def meet(self, s: Saved, row0: int, causal: bool) -> Tensor:
        """Add this block of queries to dk and dv; its share of dq comes back."""
        scale = self.k.size(-1) ** -0.5
        scores = s.q @ self.k.mT * scale
        weights = (scores - s.lse).exp()
        self.dv += weights.mT @ s.do
        if causal:
            i = torch.arange(row0, row0 + s.q.size(-2), device=scores.device)
            j = torch.arange(self.start, self.start + self.k.size(-2), device=scores.device)
            weights = weights.masked_fill(j > i[:, None], 0.0)
        ds = weights * (s.do @ self.v.mT - s.d) * scale
        self.dk += ds.mT @ s.q
        return ds @ self.k


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
    n = query.size(-2)
    saved = Saved(query, grad_output, lse[..., None], (grad_output * output).sum(-1, keepdim=True))
    tiles = [
        KeyTile(k, v, i * block_size)
        for i, (k, v) in enumerate(zip(key.split(block_size, 2), value.split(block_size, 2)))
    ]
    dq = torch.zeros_like(query)
    for row in range(0, n, block_size):
        part = saved.rows(row, row + block_size)
        for tile in tiles:
            if causal and tile.start > row + block_size - 1:
                break
            dq[:, :, row : row + block_size] += tile.meet(part, row, causal)
    return dq, torch.cat([t.dk for t in tiles], 2), torch.cat([t.dv for t in tiles], 2)

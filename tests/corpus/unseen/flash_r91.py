from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class RunningSoftmax:
    """What one tile of queries remembers between tiles of keys."""

    top: Tensor
    total: Tensor
    out: Tensor

    @classmethod
    def fresh(cls, q: Tensor, value_dim: int) -> "RunningSoftmax":
        rows = q.shape[:-1]
        return cls(
            top=q.new_full((*rows, 1), -torch.inf),
            total=q.new_zeros((*rows, 1)),
            out=q.new_zeros((*rows, value_dim)),
        )

    def absorb(self, scores: Tensor, values: Tensor) -> None:
        top = torch.maximum(self.top, scores.amax(-1, keepdim=True))
        fade = torch.exp(self.top - top)
        parts = scores.sub_(top).exp_()
        self.total.mul_(fade).add_(parts.sum(-1, keepdim=True))
        torch.baddbmm(self.out.mul_(fade), parts, values, out=self.out)
        self.top = top

    def result(self) -> Tensor:
        return self.out / self.total


def _tiles(length: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    batch, heads, length, dim = query.shape
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide).reshape(batch * heads, length, -1) for t in (query, key, value))
    output = torch.empty(batch * heads, length, v.shape[-1], dtype=query.dtype, device=query.device)
    for rows in _tiles(length, block_size):
        mine = q[:, rows] * dim**-0.5
        state = RunningSoftmax.fresh(mine, v.shape[-1])
        for columns in _tiles(length, block_size):
            if causal and columns.start >= rows.stop:
                break
            scores = mine @ k[:, columns].mT
            if causal and columns.stop - 1 > rows.start:
                i = torch.arange(rows.start, rows.stop, device=q.device)[:, None]
                j = torch.arange(columns.start, columns.stop, device=q.device)
                scores.masked_fill_(j > i, -torch.inf)
            state.absorb(scores, v[:, columns])
        output[:, rows] = state.result().to(query.dtype)
    return output.reshape(batch, heads, length, -1)

# attn-kata: flash
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor


class Tile(NamedTuple):
    """keys [lo, hi)"""

    lo: int
    hi: int


def walk(length: int, block_size: int) -> Iterator[Tile]:
    for lo in range(0, length, block_size):
        yield Tile(lo, min(lo + block_size, length))


class Accumulator:
    """每个 query 的三个状态:peak(最大分数)、mass(指数和)、acc(未归一化输出)。

    Half precision is accumulated in float32.
    """

    def __init__(self, bsz: int, n_head: int, length: int, dk: int, like: Tensor) -> None:
        kw = dict(dtype=torch.promote_types(like.dtype, torch.float32), device=like.device)
        self.peak = torch.full((bsz, n_head, length, 1), -math.inf, **kw)
        self.mass = torch.zeros((bsz, n_head, length, 1), **kw)
        self.acc = torch.zeros((bsz, n_head, length, dk), **kw)

    @property
    def dtype(self) -> torch.dtype:
        return self.acc.dtype

    def absorb(self, first: int, scores: Tensor, value: Tensor) -> None:
        """Take in the scores of the queries first .. length - 1 for one tile of keys."""
        peak = self.peak[:, :, first:]
        mass = self.mass[:, :, first:]
        acc = self.acc[:, :, first:]

        new_peak = torch.maximum(peak, scores.amax(dim=-1, keepdim=True))
        shrink = (peak - new_peak).exp_()
        scores = scores.sub_(new_peak).exp_()
        mass.mul_(shrink).add_(scores.sum(dim=-1, keepdim=True))
        acc.mul_(shrink).add_(scores @ value)
        peak.copy_(new_peak)

    def finish(self, dtype: torch.dtype) -> Tensor:
        return self.acc.div_(self.mass).to(dtype)


def hide_future_(scores: Tensor) -> None:
    """Tile 的左上角就是对角线:前 width 行里 col > row 的要盖住,后面的行全部可见。"""
    width = scores.size(-1)
    corner = scores[:, :, :width]
    idx = torch.arange(width, device=scores.device)
    corner.masked_fill_(idx > idx[: corner.size(2), None], -math.inf)


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    bsz, n_head, length, dk = query.shape
    state = Accumulator(bsz, n_head, length, dk, query)
    q = query.to(state.dtype) / math.sqrt(dk)

    for tile in walk(length, block_size):
        # causal: queries before the tile see nothing of it and are not even computed
        first = tile.lo if causal else 0
        k = key[:, :, tile.lo : tile.hi].to(state.dtype)
        v = value[:, :, tile.lo : tile.hi].to(state.dtype)
        scores = q[:, :, first:] @ k.transpose(-2, -1)
        if causal:
            hide_future_(scores)
        state.absorb(first, scores, v)
    return state.finish(query.dtype)

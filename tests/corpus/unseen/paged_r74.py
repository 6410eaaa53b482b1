from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor


class Running(NamedTuple):
    peak: Tensor   # (kv_heads, readers, 1)
    total: Tensor
    out: Tensor    # (kv_heads, readers, head_dim), not yet divided


class PagedSequence:
    """One sequence's view of the pool."""

    def __init__(self, pools: tuple[Tensor, Tensor], blocks: list[int], length: int) -> None:
        self.pools, self.blocks, self.length = pools, blocks, length
        self.block_size = pools[0].shape[1]

    def __len__(self) -> int:
        return -(-self.length // self.block_size)  # blocks in use, rounded up

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        left = self.length
        for number in self.blocks[: len(self)]:
            used = min(left, self.block_size)
            yield tuple(pool[number, :used].transpose(0, 1) for pool in self.pools)
            left -= used


def fold(query: Tensor, state: Running | None, block: tuple[Tensor, Tensor]) -> Running:
    key, value = block  # (kv_heads, used, head_dim)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    peak = scores.amax(-1, keepdim=True)
    if state is not None:
        peak = torch.maximum(peak, state.peak)
    p = torch.exp(scores - peak)
    total, out = p.sum(-1, keepdim=True), p @ value
    if state is not None:
        shrink = torch.exp(state.peak - peak)
        total, out = total + shrink * state.total, out + shrink * state.out
    return Running(peak, total, out)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    kv_heads = key_pool.shape[2]
    grouped = query.unflatten(1, (kv_heads, -1))  # neighbours share a kv head
    rows = []
    for q, blocks, length in zip(grouped, block_table.tolist(), lengths.tolist()):
        sequence = PagedSequence((key_pool, value_pool), blocks, length)
        state = functools.reduce(functools.partial(fold, q), sequence, None)
        rows.append((state.out / state.total).flatten(0, 1))
    return torch.stack(rows)

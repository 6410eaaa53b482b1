from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class PagedSequence:
    blocks: list[int]
    length: int
    block_size: int

    @property
    def num_blocks(self) -> int:
        return (self.length + self.block_size - 1) // self.block_size

    def pieces(self, pool: Tensor):
        *full, last = self.blocks[: self.num_blocks]
        for number in full:
            yield pool[number]
        yield pool[last, : self.length % self.block_size]

    def read(self, pool: Tensor) -> Tensor:
        return torch.cat(list(self.pieces(pool)))


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    group = query.shape[1] // key_pool.shape[2]
    scale = query.shape[-1] ** -0.5
    context = torch.zeros_like(query)
    for b in range(query.shape[0]):
        seq = PagedSequence(block_table[b].tolist(), int(lengths[b]), key_pool.shape[1])
        k = seq.read(key_pool).repeat_interleave(group, dim=1)
        v = seq.read(value_pool).repeat_interleave(group, dim=1)
        for h in range(query.shape[1]):
            weights = torch.softmax(k[:, h] @ query[b, h] * scale, dim=0)
            context[b, h] = weights @ v[:, h]
    return context

from __future__ import annotations

import torch
from torch import Tensor


class SequenceView:
    """The tokens of one sequence, in order, as a list of (block, places) pairs."""

    def __init__(self, row: Tensor, length: int, block_size: int) -> None:
        self.blocks = row.tolist()
        self.length = length
        self.block_size = block_size

    def pages(self):
        full, rest = divmod(self.length, self.block_size)
        for i in range(full):
            yield self.blocks[i], self.block_size
        if rest:
            yield self.blocks[full], rest

    def gather(self, pool: Tensor) -> Tensor:
        return torch.cat([pool[block, :used] for block, used in self.pages()])


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    rows = []
    for q, row, length in zip(query, block_table, lengths.tolist()):
        seq = SequenceView(row, length, block_size)
        keys = seq.gather(key_pool).repeat_interleave(heads // kv_heads, dim=1)
        values = seq.gather(value_pool).repeat_interleave(heads // kv_heads, dim=1)
        scores = torch.einsum("hd,thd->ht", q, keys) * head_dim**-0.5
        weights = torch.softmax(scores, dim=0)
        rows.append(torch.einsum("ht,thd->hd", weights, values))
    return torch.stack(rows)

from __future__ import annotations

import torch
from torch import Tensor


class Sequence:
    """The blocks of one sequence, in the order of its tokens."""

    def __init__(self, table: list[int], length: int, block_size: int):
        self.count = -(-length // block_size)
        self.table = table[: self.count]
        self.tail = length % block_size

    def gather(self, pool: Tensor) -> Tensor:
        whole = [pool[b] for b in self.table[:-1]]
        last = pool[self.table[-1], : self.tail]
        return torch.cat([*whole, last], dim=0)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    block_size, kv_heads = key_pool.shape[1:3]
    repeat = query.size(1) // kv_heads
    rows = []
    for q, table, length in zip(query, block_table.tolist(), lengths.tolist()):
        sequence = Sequence(table, length, block_size)
        k = sequence.gather(key_pool).repeat_interleave(repeat, dim=1)
        v = sequence.gather(value_pool).repeat_interleave(repeat, dim=1)
        s = torch.einsum("hd,thd->ht", q, k) * q.size(-1) ** -0.5
        rows.append(torch.einsum("ht,thd->hd", s.softmax(dim=-1), v))
    return torch.stack(rows)

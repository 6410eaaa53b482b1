from __future__ import annotations

import math

import torch
from torch import Tensor


class PagedCache:
    def __init__(self, pool: Tensor) -> None:
        self.pool = pool
        self.block_size = pool.size(1)

    def pages(self, length: int) -> int:
        return math.ceil(length / self.block_size)

    def gather(self, numbers: list[int], length: int) -> Tensor:
        """(kv_heads, length, head_dim)"""
        joined = torch.cat([self.pool[number] for number in numbers])
        return joined[:length].transpose(0, 1)


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    groups = query.size(0) // key.size(0)
    query = query.unflatten(0, (key.size(0), groups))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return (torch.softmax(scores, dim=-1) @ value).flatten(0, 1)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    keys, values = PagedCache(key_pool), PagedCache(value_pool)
    context = []
    for row, table, length in zip(query, block_table.tolist(), lengths.tolist()):
        used = keys.pages(length)
        k = keys.gather([table[page] for page in range(used)], length)
        v = values.gather([page for page in range(used)], length)
        context.append(attend(row, k, v))
    return torch.stack(context)

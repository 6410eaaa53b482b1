from __future__ import annotations

import math

import torch
from torch import Tensor


def own_places(index: int, length: int, block_size: int) -> int:
    """How many places of a sequence's block number `index` are in use."""
    last = (length - 1) // block_size
    if index < last:
        return block_size
    return length % block_size


def collect(pool: Tensor, table: list[int], length: int) -> Tensor:
    block_size = pool.shape[1]
    used = -(-length // block_size)
    parts = [pool[table[i], : own_places(i, length, block_size)] for i in range(used)]
    return torch.cat(parts)  # (length, kv_heads, head_dim)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    kv_heads, dim = key_pool.shape[2:]
    rows = []
    for q, table, length in zip(query, block_table.tolist(), lengths.tolist()):
        k, v = collect(key_pool, table, length), collect(value_pool, table, length)
        grouped = q.view(kv_heads, -1, dim) / math.sqrt(dim)
        weights = torch.einsum("grd,tgd->grt", grouped, k).softmax(dim=-1)
        rows.append(torch.einsum("grt,tgd->grd", weights, v).reshape(q.shape))
    return torch.stack(rows)

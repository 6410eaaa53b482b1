from __future__ import annotations

import math
from typing import Iterator, List, Tuple

import torch
from torch import Tensor


def used_blocks(row: List[int], length: int, block_size: int) -> Iterator[Tuple[int, int]]:
    """Yield (block number, how many of its places count)."""
    assert length >= 1
    count: int = -(-length // block_size)
    assert count <= len(row), "the table is too short"
    for i in range(count):
        last: bool = i == count - 1
        yield row[i], length % block_size if last else block_size


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    assert query.ndim == 3 and key_pool.ndim == 4
    assert key_pool.shape == value_pool.shape
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    assert heads % kv_heads == 0
    acc: torch.dtype = torch.promote_types(query.dtype, torch.float32)

    context: Tensor = torch.empty_like(query)
    for b in range(batch):
        row: List[int] = block_table[b].tolist()
        pieces = list(used_blocks(row, int(lengths[b]), block_size))
        k: Tensor = torch.cat([key_pool[n, :m] for n, m in pieces]).to(acc)
        v: Tensor = torch.cat([value_pool[n, :m] for n, m in pieces]).to(acc)
        q: Tensor = query[b].to(acc).view(kv_heads, heads // kv_heads, head_dim)
        scores: Tensor = torch.einsum("grd,tgd->grt", q, k) / math.sqrt(head_dim)
        weights: Tensor = scores.softmax(dim=-1)
        out: Tensor = torch.einsum("grt,tgd->grd", weights, v)
        assert out.shape == q.shape
        context[b] = out.reshape(heads, head_dim).to(query.dtype)
    return context

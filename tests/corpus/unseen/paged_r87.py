from __future__ import annotations

import math

import torch
from torch import Tensor


def _one_sequence(q: Tensor, pools: tuple[Tensor, Tensor], blocks: list[int], length: int) -> Tensor:
    """q is (kv_heads, group, head_dim); block by block, with a running softmax."""
    size = pools[0].shape[1]
    top = q.new_full((*q.shape[:2], 1), -math.inf)
    total, acc = torch.zeros_like(top), torch.zeros_like(q)
    left = length
    for number in blocks:
        if left <= 0:
            break
        k, v = (pool[number, : min(size, left)].to(q.dtype) for pool in pools)
        left -= size
        s = torch.einsum("ngd,tnd->ngt", q, k)
        new = torch.maximum(top, s.amax(-1, keepdim=True))
        old, p = torch.exp(top - new), torch.exp(s - new)
        total = total * old + p.sum(-1, keepdim=True)
        acc = acc * old + torch.einsum("ngt,tnd->ngd", p, v)
        top = new
    return acc / total


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    kv_heads, head_dim = key_pool.shape[-2:]
    q = query.to(wide).unflatten(1, (kv_heads, -1)) / math.sqrt(head_dim)
    rows = [
        _one_sequence(q[b], (key_pool, value_pool), table, n)
        for b, (table, n) in enumerate(zip(block_table.tolist(), lengths.tolist()))
    ]
    return torch.stack(rows).flatten(1, 2).to(query.dtype)

from __future__ import annotations

import math

import torch
from torch import Tensor


def _gather(pool: Tensor, table: Tensor, length: int) -> Tensor:
    """A sequence's rows of a pool, (length, kv_heads, head_dim)."""
    full, rest = divmod(length, pool.shape[1])
    whole = pool[table[:full]].flatten(0, 1)
    part = pool[table[full], :rest]
    return torch.cat([whole, part])


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    heads, head_dim = query.shape[1:]
    kv_heads = key_pool.shape[2]
    contexts = []
    for q, table, length in zip(query, block_table.long(), lengths.tolist()):
        k = _gather(key_pool, table, length)
        v = _gather(value_pool, table, length)
        q = q.view(kv_heads, heads // kv_heads, head_dim)
        scores = torch.einsum("kgd,tkd->kgt", q, k) / math.sqrt(head_dim)
        weights = torch.softmax(scores, dim=-1)
        contexts.append(torch.einsum("kgt,tkd->kgd", weights, v).reshape(heads, head_dim))
    return torch.stack(contexts)

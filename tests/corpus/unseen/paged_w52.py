from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    group = heads // kv_heads
    context = torch.zeros_like(query)
    for b in range(batch):
        length = int(lengths[b])
        scores, values = [], []
        for start in range(0, length, block_size):
            number = int(block_table[b, start // block_size])
            key, value = key_pool[number], value_pool[number]
            used = min(block_size, length - start)
            # what is left from before may hold anything
            key[used:] = 0
            value[used:] = 0
            q = query[b].view(kv_heads, group, head_dim)
            s = torch.einsum("kgd,tkd->kgt", q, key) / math.sqrt(head_dim)
            s[:, :, used:] = float("-inf")
            scores.append(s)
            values.append(value)
        weights = torch.cat(scores, dim=-1).softmax(dim=-1)
        mixed = torch.einsum("kgt,tkd->kgd", weights, torch.cat(values))
        context[b] = mixed.reshape(heads, head_dim)
    return context

from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    outputs = []
    for b in range(batch):
        n = int(lengths[b])
        blocks = block_table[b, : -(-n // block_size)].long()
        keys = key_pool[blocks].flatten(0, 1)[:n]
        values = value_pool[blocks].flatten(0, 1)[:n]
        q = query[b].view(kv_heads, heads // kv_heads, head_dim)
        scores = torch.einsum("grd,gnd->grn", q, keys) / math.sqrt(head_dim)
        weights = scores.softmax(dim=-1)
        outputs.append(torch.einsum("grn,ngd->grd", weights, values).reshape(heads, head_dim))
    return torch.stack(outputs)

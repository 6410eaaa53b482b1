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

    table = block_table.long()
    keys = key_pool[table].flatten(1, 2)
    values = value_pool[table].flatten(1, 2)

    q = query.view(batch, kv_heads, group, head_dim)
    scores = torch.einsum("bngd,btnd->bngt", q, keys) / math.sqrt(head_dim)
    token = torch.arange(keys.shape[1], device=query.device)
    seen = token <= lengths[:, None]
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    context = torch.einsum("bngt,btnd->bngd", torch.softmax(scores, -1), values)
    return context.reshape(batch, heads, head_dim)

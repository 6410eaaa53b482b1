from __future__ import annotations

import math

import torch
from torch import Tensor


def gather_pages(pool: Tensor, table: Tensor) -> Tensor:
    """(batch, max_blocks * block_size, kv_heads, head_dim)"""
    return pool[table.long()].flatten(1, 2)


def match_heads(kv: Tensor, heads: int) -> Tensor:
    groups = heads // kv.shape[2]
    return kv.repeat(1, 1, groups, 1)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    heads, head_dim = query.shape[1:]
    k = match_heads(gather_pages(key_pool, block_table), heads)
    v = match_heads(gather_pages(value_pool, block_table), heads)
    scores = torch.einsum("bhd,bthd->bht", query, k) / math.sqrt(head_dim)
    places = torch.arange(k.shape[1], device=query.device)
    behind = places[None, :] >= lengths[:, None]
    scores = scores.masked_fill(behind[:, None, :], -math.inf)
    return torch.einsum("bht,bthd->bhd", scores.softmax(-1), v)

from __future__ import annotations

import math

import torch
from torch import Tensor


def _visible(block_table: Tensor, lengths: Tensor, num_blocks: int, block_size: int) -> Tensor:
    """(batch, num_blocks, block_size): True where a place of the pool is a sequence's token."""
    slots = torch.arange(block_table.shape[1], device=block_table.device)
    # tokens that a sequence has in each of its blocks
    filled = (lengths[:, None] - slots * block_size).clamp(0, block_size).long()
    owned = filled.new_zeros(len(filled), num_blocks)
    owned.scatter_(1, block_table.long(), filled)
    place = torch.arange(block_size, device=block_table.device)
    return place < owned[..., None]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Softmax does not care about the order of keys: score the pool as it lies, gather nothing."""
    batch, heads, head_dim = query.shape
    num_blocks, block_size, kv_heads, _ = key_pool.shape
    grouped = query.reshape(batch, kv_heads, heads // kv_heads, head_dim)
    scores = torch.einsum("bkgd,nskd->bkgns", grouped, key_pool) / math.sqrt(head_dim)
    seen = _visible(block_table, lengths, num_blocks, block_size)
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    weights = scores.flatten(3).softmax(-1).view_as(scores)
    context = torch.einsum("bkgns,nskd->bkgd", weights, value_pool)
    return context.reshape(batch, heads, head_dim)

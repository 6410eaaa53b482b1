"""Decoding over a paged KV cache (vLLM: Kwon et al. 2023, PagedAttention)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Attend from each sequence's newest token to all tokens whose blocks its table names.

    query is (batch, heads, head_dim), key_pool and value_pool (num_blocks, block_size, kv_heads,
    head_dim), any float dtype; block_table, (batch, max_blocks), has the numbers of a sequence's
    blocks in the order of its tokens, and lengths, (batch,), how many tokens count, each from 1
    to max_blocks * block_size. Returns (batch, heads, head_dim).
    """
    head_dim = query.shape[-1]
    block_size, kv_heads = key_pool.shape[1:3]
    group_size = query.shape[1] // kv_heads
    max_blocks = block_table.shape[1]
    positions = torch.arange(max_blocks * block_size, device=query.device)  # (capacity,)
    blocks = block_table[:, positions // block_size]  # (batch, capacity)
    slots = positions % block_size  # (capacity,)
    kv_key = key_pool[blocks, slots]  # (batch, capacity, kv_heads, head_dim)
    kv_value = value_pool[blocks, slots]  # (batch, capacity, kv_heads, head_dim)
    keys = kv_key.repeat_interleave(group_size, dim=2)  # (batch, capacity, heads, head_dim)
    values = kv_value.repeat_interleave(group_size, 2)  # (batch, capacity, heads, head_dim)
    products = torch.einsum("bhd,bkhd->bhk", query, keys)
    scores = products / math.sqrt(head_dim)
    # The end of the last block, and all blocks behind it, belong to somebody else.
    hidden = positions >= lengths[:, None]  # (batch, capacity)
    masked_scores = scores.masked_fill(hidden[:, None], float("-inf"))
    weights = masked_scores.softmax(dim=-1)
    context = torch.einsum("bhk,bkhd->bhd", weights, values)  # (batch, heads, head_dim)
    return context

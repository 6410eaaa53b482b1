from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def gather_pages(pool: Tensor, block_table: Tensor) -> Tensor:
    """(num_blocks, block_size, kv, d) -> (batch, kv, max_blocks * block_size, d)."""
    pages = pool[block_table.long()]
    batch, max_blocks, block_size, kv_heads, head_dim = pages.shape
    return pages.view(batch, max_blocks * block_size, kv_heads, head_dim).transpose(1, 2)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    num_seqs, num_heads, head_size = query.shape
    num_kv_heads = key_pool.size(2)
    num_queries_per_kv = num_heads // num_kv_heads
    scale = head_size**-0.5

    keys = gather_pages(key_pool, block_table)
    values = gather_pages(value_pool, block_table)
    if num_queries_per_kv > 1:
        keys = keys.repeat(1, num_queries_per_kv, 1, 1)
        values = values.repeat(1, num_queries_per_kv, 1, 1)

    logits = torch.matmul(query.unsqueeze(2), keys.transpose(2, 3)) * scale
    slots = torch.arange(keys.size(2), device=query.device)
    valid = slots.unsqueeze(0) < lengths.to(query.device).unsqueeze(1)
    logits = logits.masked_fill(valid[:, None, None, :].logical_not(), float("-inf"))
    probs = F.softmax(logits, dim=-1)
    values = values.masked_fill(valid[:, None, :, None].logical_not(), 0.0)
    return torch.matmul(probs, values).squeeze(2)

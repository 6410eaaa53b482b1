from __future__ import annotations

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """From block to block with a running softmax, as a kernel would."""
    wide = torch.promote_types(query.dtype, torch.float32)
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    grouped = query.to(wide).unflatten(1, (kv_heads, heads // kv_heads)) / head_dim**0.5
    context = torch.empty_like(grouped)
    for b, (left, table) in enumerate(zip(lengths.tolist(), block_table.tolist())):
        top = grouped.new_full(grouped.shape[1:3] + (1,), float("-inf"))
        total, mixed = torch.zeros_like(top), torch.zeros_like(grouped[b])
        for block in table:
            used = min(left, block_size)
            k = key_pool[block, :used].to(wide).transpose(0, 1)  # (kv_heads, used, head_dim)
            v = value_pool[block, :used].to(wide).transpose(0, 1)
            s = grouped[b] @ k.mT
            new_top = torch.maximum(top, s.amax(-1, keepdim=True))
            p, fade = (s - new_top).exp(), (top - new_top).exp()
            total = total * fade + p.sum(-1, keepdim=True)
            mixed = mixed * fade + p @ v
            top, left = new_top, left - used
            if left == 0:
                break
        context[b] = mixed / total
    return context.flatten(1, 2).to(query.dtype)

from __future__ import annotations

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """All sequences walk along their tables in step, a block at a time, as a kernel would."""
    wide = torch.promote_types(query.dtype, torch.float32)
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    q = query.to(wide).reshape(batch, kv_heads, heads // kv_heads, head_dim) / head_dim**0.5

    top = q.new_full((batch, kv_heads, heads // kv_heads, 1), -torch.inf)
    below = torch.zeros_like(top)
    above = torch.zeros_like(q)
    place = torch.arange(block_size, device=query.device)
    lengths = lengths.to(query.device)

    for number, blocks in enumerate(block_table.long().unbind(1)):
        left = lengths - number * block_size  # how many tokens of this block are the sequence's own
        if not bool((left > 0).any()):
            break
        own = (place < left.unsqueeze(1))[:, None, None, :]
        k = key_pool[blocks].to(wide).permute(0, 2, 3, 1)  # batch, kv_heads, head_dim, place
        v = value_pool[blocks].to(wide).permute(0, 2, 1, 3)
        v = torch.where(own.transpose(-1, -2), v, torch.zeros_like(v))
        s = torch.where(own, q @ k, torch.full((), -torch.inf, dtype=wide, device=q.device))
        higher = torch.maximum(top, s.amax(-1, keepdim=True))
        old, e = (top - higher).exp(), (s - higher).exp()
        below = below * old + e.sum(-1, keepdim=True)
        above = above * old + e @ v
        top = higher
    return (above / below).reshape(batch, heads, head_dim).to(query.dtype)

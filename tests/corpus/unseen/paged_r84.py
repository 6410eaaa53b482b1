from __future__ import annotations

import math

import torch
from torch import Tensor


@torch.no_grad()
def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Goes from block to block for all sequences at once, as a kernel would: nothing is gathered whole."""
    batch, heads, dim = query.shape
    _, size, kv_heads, _ = key_pool.shape
    wide = torch.promote_types(query.dtype, torch.float32)
    q = (query.to(wide) / math.sqrt(dim)).reshape(batch, kv_heads, heads // kv_heads, dim)
    low = torch.finfo(wide).min
    top = torch.full_like(q[..., :1], low)
    total = torch.zeros_like(top)
    out = torch.zeros_like(q)
    place = torch.arange(size, device=query.device)
    for step, numbers in enumerate(block_table.long().unbind(1)):
        k = key_pool.index_select(0, numbers).to(wide).permute(0, 2, 3, 1)
        v = value_pool.index_select(0, numbers).to(wide).permute(0, 2, 1, 3)
        mine = (place + step * size < lengths.unsqueeze(1))[:, None, None, :]
        scores = torch.where(mine, q @ k, low)
        new = torch.maximum(top, scores.max(dim=-1, keepdim=True).values)
        p = torch.where(mine, (scores - new).exp(), 0)
        fade = (top - new).exp()
        total = total * fade + p.sum(-1, keepdim=True)
        out = out * fade + p @ v
        top = new
    return (out / total).reshape(batch, heads, dim).to(query.dtype)

from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Goes from block to block as the kernel does, all sequences side by side."""
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide).unflatten(1, (kv_heads, heads // kv_heads)) / math.sqrt(head_dim)
    place = torch.arange(block_size, device=query.device)

    out = torch.zeros_like(q)
    total = q.new_zeros(q.shape[:-1])
    top = torch.full_like(total, -math.inf)
    for step in range(-(-int(lengths.max()) // block_size)):
        left = lengths - step * block_size
        going = (left > 0).nonzero().squeeze(1)         # the sequences that have this block
        numbers = block_table[going, step].long()
        k, v = key_pool[numbers].to(wide), value_pool[numbers].to(wide)
        behind = place >= left[going].unsqueeze(1)
        v = v.masked_fill(behind[:, :, None, None], 0)

        scores = torch.einsum("nghd,nsgd->nghs", q[going], k)
        scores = scores.masked_fill(behind[:, None, None, :], -math.inf)
        new = torch.maximum(top[going], scores.amax(-1))
        shrink = torch.exp(top[going] - new)
        p = torch.exp(scores - new.unsqueeze(-1))
        total[going] = total[going] * shrink + p.sum(-1)
        out[going] = out[going] * shrink.unsqueeze(-1) + torch.einsum("nghs,nsgd->nghd", p, v)
        top[going] = new
    return (out / total.unsqueeze(-1)).flatten(1, 2).to(query.dtype)

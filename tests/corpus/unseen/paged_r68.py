from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor) -> Tensor:
    """Block after block with a running maximum, as a kernel would; a sequence drops out when it is read."""
    b, heads, dim = query.shape
    size, kv = key_pool.shape[1:3]
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide).reshape(b, kv, heads // kv, dim) / math.sqrt(dim)
    best = torch.full((b, kv, heads // kv), -math.inf, dtype=wide, device=q.device)
    mass = torch.zeros_like(best)
    total = torch.zeros_like(q)
    for column, blocks in enumerate(block_table.long().unbind(1)):
        left = lengths - column * size
        if not (left > 0).any():
            break
        k, v = key_pool[blocks].to(wide), value_pool[blocks].to(wide)
        s = torch.einsum("bkgd,bskd->bkgs", q, k)
        gone = torch.arange(size, device=q.device) >= left.unsqueeze(1)
        s = s.masked_fill(gone[:, None, None], -math.inf)
        v = v.masked_fill(gone[..., None, None], 0.0)
        new = torch.maximum(best, s.amax(-1))
        p = torch.exp(s - new.unsqueeze(-1))
        shrink = torch.exp(best - new)
        mass = mass * shrink + p.sum(-1)
        total = total * shrink.unsqueeze(-1) + torch.einsum("bkgs,bskd->bkgd", p, v)
        best = new
    return (total / mass.unsqueeze(-1)).reshape(b, heads, dim).to(query.dtype)

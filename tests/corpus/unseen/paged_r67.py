# block by block with a running maximum, the way the kernel walks the page table
from __future__ import annotations

import torch
from torch import Tensor


def _one(q: Tensor, keys: Tensor, values: Tensor, pages: list[int], used: int) -> Tensor:
    """q (kv, group, d), wide floats; keys and values are the pools."""
    size = keys.shape[1]
    best = q.new_full(q.shape[:2], -torch.inf)
    mass = q.new_zeros(q.shape[:2])
    acc = torch.zeros_like(q)
    for n, page in enumerate(pages):
        take = min(size, used - n * size)
        if take <= 0:
            break
        k = keys[page, :take].to(q.dtype)
        v = values[page, :take].to(q.dtype)
        s = torch.einsum("kgd,tkd->kgt", q, k)
        top = torch.maximum(best, s.amax(-1))
        shrink = torch.exp(best - top)
        e = torch.exp(s - top[..., None])
        mass = mass * shrink + e.sum(-1)
        acc = acc * shrink[..., None] + torch.einsum("kgt,tkd->kgd", e, v)
        best = top
    return acc / mass[..., None]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    kv_heads, d = key_pool.shape[2:]
    grouped = (query.to(wide) * d**-0.5).unflatten(1, (kv_heads, -1))
    rows = [
        _one(q, key_pool, value_pool, pages, used)
        for q, pages, used in zip(grouped, block_table.tolist(), lengths.tolist())
    ]
    return torch.stack(rows).flatten(1, 2).to(query.dtype)

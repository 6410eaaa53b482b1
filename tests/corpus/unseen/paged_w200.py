from __future__ import annotations

import math

import torch
from torch import Tensor


def _decode(q: Tensor, blocks_k: Tensor, blocks_v: Tensor, n: int) -> Tensor:
    """q (kv, g, d); blocks (m, block, kv, d), of which the first n places are the sequence's."""
    acc = torch.zeros_like(q)
    den = q.new_zeros(q.shape[:-1])
    top = torch.tensor(-math.inf, dtype=q.dtype, device=q.device)
    left = n
    for k, v in zip(blocks_k, blocks_v):
        k, v = k[:left].to(q.dtype), v[:left].to(q.dtype)
        z = torch.einsum("kgd,skd->kgs", q, k)
        new = torch.maximum(top, z.max())
        p = torch.exp(z - new)
        fade = torch.exp(top - new)
        den = den * fade + p.sum(-1)
        acc = acc * fade + torch.einsum("kgs,skd->kgd", p, v)
        top, left = new, left - len(k)
    return acc / den[..., None]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """Block by block with a running softmax, the way the kernel does it."""
    _, block, kv, d = key_pool.shape
    q = query.to(torch.promote_types(query.dtype, torch.float32)) / math.sqrt(d)
    q = q.unflatten(1, (kv, -1))
    out = []
    for qb, row, n in zip(q, block_table.long(), lengths.tolist()):
        mine = row[: -(-n // block)]
        out.append(_decode(qb, key_pool[mine], value_pool[mine], n))
    return torch.stack(out).flatten(1, 2).to(query.dtype)

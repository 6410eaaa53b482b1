"""Ragged decode: the tokens of all sequences in one packed axis n, softmax by segment.

Only slots that a sequence owns are ever addressed, so what lies in the others cannot leak.
"""
from __future__ import annotations

import torch
from torch import Tensor


def _segment_softmax(z: Tensor, seg: Tensor, num: int) -> Tensor:
    """Softmax of z (n, ...) within the segments of axis 0."""
    at = seg.view(-1, *[1] * (z.ndim - 1)).expand_as(z)
    top = z.new_full((num, *z.shape[1:]), -torch.inf).scatter_reduce(0, at, z, "amax")
    e = (z - top[seg]).exp()
    return e / torch.zeros_like(top).index_add(0, seg, e)[seg]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    b, h, d = query.shape
    block, kv = key_pool.shape[1:3]
    up = torch.promote_types(query.dtype, torch.float32)
    lengths = lengths.long()

    # packed axis: owner of each token, and its place in that sequence
    seg = torch.repeat_interleave(torch.arange(b, device=lengths.device), lengths)
    t = torch.arange(len(seg), device=seg.device) - (lengths.cumsum(0) - lengths)[seg]
    where = block_table[seg, t // block].long(), t % block

    k, v = key_pool[where].to(up), value_pool[where].to(up)  # (n, kv, d)
    q = query.to(up).unflatten(1, (kv, h // kv))[seg]
    p = _segment_softmax(torch.einsum("nkgd,nkd->nkg", q, k) / d**0.5, seg, b)
    out = q.new_zeros(b, kv, h // kv, d)
    return out.index_add(0, seg, torch.einsum("nkg,nkd->nkgd", p, v)).flatten(1, 2).to(query.dtype)

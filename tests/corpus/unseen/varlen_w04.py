from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor

TILE = 128


def cumulative_lengths(lengths: Tensor) -> Tensor:
    out = lengths.new_zeros(lengths.shape[0] + 1, dtype=torch.int64)
    torch.cumsum(lengths, dim=0, out=out[1:]) if lengths.dtype == torch.int64 else out[1:].copy_(lengths.cumsum(0))
    return out


def document_mask(lengths: Tensor, total: int) -> Tensor:
    place = torch.arange(total, device=lengths.device)
    ends = cumulative_lengths(lengths)[1:]
    doc = torch.searchsorted(ends, place, right=True)       # how many sequences end at or before it
    used = doc < lengths.shape[0]
    return doc.unsqueeze(0).eq(doc.unsqueeze(1)) & used & used.unsqueeze(1)


def _spans(cu: list[int]) -> Iterator[tuple[int, int, int]]:
    """(first place of the tile, one past its last, its sequence's number)"""
    for i, (begin, end) in enumerate(zip(cu, cu[1:])):
        for lo in range(begin, end, TILE):
            yield lo, min(lo + TILE, end), i


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    cu = cumulative_lengths(lengths).tolist()
    up = torch.promote_types(query.dtype, torch.float32)
    out = torch.zeros_like(query)
    for lo, hi, i in _spans(cu):
        begin, end = cu[i], cu[i + 1]
        q, k, v = query[lo:hi].to(up), key[begin:end].to(up), value[begin:end].to(up)
        scores = torch.einsum("qhd,khd->hqk", q, k).mul(1 / math.sqrt(q.shape[-1]))
        if causal:
            row = torch.arange(hi - lo, device=q.device).unsqueeze(1)
            col = torch.arange(end - begin, device=q.device)
            scores = scores.masked_fill(col > row, -math.inf)
        out[lo:hi] = torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).to(out.dtype)
    return out

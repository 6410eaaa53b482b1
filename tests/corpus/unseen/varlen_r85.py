from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    out = torch.zeros(lengths.shape[0] + 1, dtype=torch.int32, device=lengths.device)
    out[1:] = lengths.cumsum(0)
    return out


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    begins, ends = cu[:-1, None], cu[1:, None]
    inside = ((place >= begins) & (place < ends)).to(torch.float32)  # (batch, total)
    return (inside.T @ inside) > 0


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    heads, width = query.shape[1:]
    wide = torch.promote_types(query.dtype, torch.float32)
    edges = cumulative_lengths(lengths).tolist()
    pieces = []
    for lo, hi in pairwise(edges):
        q, k, v = (t[lo:hi].to(wide).transpose(0, 1) for t in (query, key, value))
        s = torch.bmm(q, k.mT) / math.sqrt(width)
        if causal:
            n = hi - lo
            s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -math.inf)
        pieces.append(torch.bmm(s.softmax(-1), v).transpose(0, 1).to(query.dtype))
    pieces.append(query.new_zeros(query.shape[0] - edges[-1], heads, width))
    return torch.cat(pieces)

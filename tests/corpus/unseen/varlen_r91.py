from __future__ import annotations

from itertools import pairwise
from math import inf, sqrt

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    offsets = torch.zeros(len(lengths) + 1, dtype=torch.int32, device=lengths.device)
    offsets[1:] = torch.cumsum(lengths, dim=0)
    return offsets


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for begin, end in pairwise(cumulative_lengths(lengths).tolist()):
        mask[begin:end, begin:end] = True
    return mask


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    out = torch.zeros_like(query)
    root = sqrt(query.size(-1))
    exact = query.dtype if query.dtype == torch.float64 else torch.float32
    for begin, end in pairwise(cumulative_lengths(lengths).tolist()):
        for h in range(query.size(1)):
            q, k, v = (x[begin:end, h].to(exact) for x in (query, key, value))
            scores = torch.mm(q, k.t()) / root
            if causal and (size := end - begin) > 1:
                place = torch.arange(size, device=query.device)
                scores = torch.where(place[:, None] >= place[None, :], scores, -inf)
            weights = torch.softmax(scores, dim=1)
            out[begin:end, h] = torch.mm(weights, v).to(out.dtype)
    return out

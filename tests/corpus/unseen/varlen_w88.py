from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    out = torch.zeros(lengths.shape[0] + 1, dtype=torch.int64, device=lengths.device)
    out[1:] = lengths.cumsum(0)
    return out


def segment_ids(lengths: Tensor, total: int) -> Tensor:
    """(total,) number of the sequence of each place"""
    cu = cumulative_lengths(lengths)
    places = torch.arange(total, device=lengths.device)
    return torch.searchsorted(cu, places, right=True) - 1


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = segment_ids(lengths, total)
    return ids[:, None] == ids[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    cu = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for a, b in zip(cu[:-1], cu[1:]):
        if a == b:
            continue
        q, k, v = (t[a:b].transpose(0, 1) for t in (query, key, value))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if causal:
            n = b - a
            ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(ahead, -math.inf)
        out[a:b] = (scores.softmax(-1) @ v).transpose(0, 1)
    return out

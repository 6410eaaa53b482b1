from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    n = lengths.shape[0]
    below = torch.ones(n + 1, n, dtype=torch.int64, device=lengths.device).tril(-1)
    return (below * lengths).sum(dim=1)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    """Each sequence is a row of marks; two places that are marked in one row see each other."""
    edges = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    marks = (edges[:-1, None] <= place) & (place < edges[1:, None])
    return (marks[:, :, None] & marks[:, None, :]).any(dim=0)


def _rows(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    scores = torch.einsum("ihd,jhd->hij", q, k).div(math.sqrt(q.shape[-1]))
    if causal:
        upper = scores.new_full(scores.shape[-2:], -math.inf).triu(1)
        scores = scores + upper
    return torch.einsum("hij,jhd->ihd", scores.softmax(2), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    out = torch.zeros_like(query)
    for start, stop in pairwise(cumulative_lengths(lengths).tolist()):
        if start < stop:
            own = torch.arange(start, stop, device=query.device)
            rows = _rows(query[start:stop], key[start:stop], value[start:stop], causal)
            out = out.index_add(0, own, rows)
    return out

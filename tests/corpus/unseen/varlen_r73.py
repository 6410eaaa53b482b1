from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import torch
from torch import Tensor


def _spans(lengths: Tensor) -> Iterator[slice]:
    """The places of each sequence; those of length 0 are left out."""
    edges = [0, *itertools.accumulate(lengths.tolist())]
    yield from (slice(a, b) for a, b in zip(edges, edges[1:]) if b > a)


def cumulative_lengths(lengths: Tensor) -> Tensor:
    edges = list(itertools.accumulate(lengths.tolist(), initial=0))
    return torch.tensor(edges, dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for span in _spans(lengths):
        mask[span, span] = True
    return mask


def _attend(q: Tensor, k: Tensor, v: Tensor, *, causal: bool) -> Tensor:
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))  # (heads, n, head_dim)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        n = scores.shape[-1]
        scores = scores.masked_fill(
            torch.ones(n, n, dtype=torch.bool, device=q.device).triu(diagonal=1), -math.inf
        )
    return (scores.softmax(dim=-1) @ v).transpose(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    pieces = [_attend(query[s], key[s], value[s], causal=causal) for s in _spans(lengths)]
    used = sum(len(p) for p in pieces)
    return torch.cat([*pieces, torch.zeros_like(value[used:])])

from __future__ import annotations

import itertools

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    offsets = list(itertools.accumulate(lengths.tolist(), initial=0))
    return torch.tensor(offsets, dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    # a place's number is how many sequences have ended at it or before
    place = torch.arange(total, device=lengths.device)
    ends = cumulative_lengths(lengths)[1:].long()
    number = (place[:, None] >= ends).sum(1)
    filled = number < len(ends)
    return (number[:, None] == number) & filled & filled[:, None]


def one_sequence(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    if not len(q):
        return v
    wide = torch.promote_types(q.dtype, torch.float32)
    q, k, v = (t.to(wide).movedim(1, 0) for t in (q, k, v))
    scores = (q / q.shape[-1] ** 0.5) @ k.mT
    if causal:
        n = scores.shape[-1]
        scores = scores.masked_fill(
            torch.ones(n, n, dtype=torch.bool, device=q.device).tril().logical_not(), -torch.inf
        )
    return (scores.softmax(-1) @ v).movedim(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(len(query) - sum(sizes))
    *sequences, tail = zip(*(t.split(sizes) for t in (query, key, value)))
    rows = [one_sequence(*sequence, causal).to(value.dtype) for sequence in sequences]
    return torch.cat([*rows, torch.zeros_like(tail[2])])

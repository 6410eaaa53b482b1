from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    ends = lengths.cumsum(0).to(torch.int64)
    return torch.cat([ends.new_zeros(1), ends])


def _owner(lengths: Tensor, total: int) -> Tensor:
    """The sequence of each place; places behind the last one have the number batch."""
    ends = cumulative_lengths(lengths)[1:]
    place = torch.arange(total, device=lengths.device)
    return torch.searchsorted(ends, place, right=True)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    owner = _owner(lengths, total)
    return owner[:, None] == owner[None, :]


def _one(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    q, k, v = (t.transpose(0, 1) for t in (query, key, value))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        n = q.shape[1]
        late = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(late, -math.inf)
    return (scores.softmax(dim=-1) @ v).transpose(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    parts = list(zip(query.split(sizes), key.split(sizes), value.split(sizes)))
    rows = [_one(q, k, v, causal) for q, k, v in parts[:-1]]
    return torch.cat([*rows, torch.zeros_like(parts[-1][0])])

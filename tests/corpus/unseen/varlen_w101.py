from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).long()


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ends = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    owner = torch.searchsorted(ends[1:].contiguous(), place, right=True)
    filled = place < ends[-1]
    return (owner[:, None] == owner[None, :]) & filled[:, None] & filled[None, :]


def _softmax(s: Tensor) -> Tensor:
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    out = torch.zeros_like(query)
    for start, end in pairwise(cumulative_lengths(lengths).tolist()):
        q, k, v = (t[start:end].transpose(0, 1) for t in (query, key, value))
        s = q @ k.transpose(1, 2) / math.sqrt(query.shape[-1])
        if causal:
            n = end - start
            s = s.masked_fill(torch.ones(n, n, device=s.device).triu(1) > 0, float("-inf"))
        out[start:end] = (_softmax(s) @ v).transpose(0, 1)
    return out

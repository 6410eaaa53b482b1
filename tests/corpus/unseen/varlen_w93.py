from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = lengths.new_zeros(1, dtype=torch.long)
    return torch.cat([zero, lengths.long().cumsum(0)])


def document_mask(lengths: Tensor, total: int) -> Tensor:
    number = torch.full((total,), -1, dtype=torch.long, device=lengths.device)
    ends = cumulative_lengths(lengths).tolist()
    for i, (a, b) in enumerate(zip(ends[:-1], ends[1:])):
        number[a:b] = i
    return number[:, None] == number[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    out = torch.zeros_like(query)
    ends = cumulative_lengths(lengths).tolist()
    for a, b in zip(ends[:-1], ends[1:]):
        if a == b:
            continue
        q, k, v = (t[a:b].transpose(0, 1) for t in (query, key, value))
        s = q @ k.transpose(1, 2) / math.sqrt(query.shape[-1])
        if causal:
            s = s.masked_fill(torch.ones_like(s[0], dtype=torch.bool).triu(1), -math.inf)
        out[a:b] = (s.softmax(-1) @ v).transpose(0, 1)
    return out

from __future__ import annotations

import functools
import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~seen[:, None, None], -math.inf)
    lse = scores.logsumexp(dim=-1)
    weights = torch.where(seen[:, None, None], (scores - lse.unsqueeze(-1)).exp(), 0.0)
    return weights @ value, lse


def merge_two(left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(left[1], right[1])
    a = (left[1] - lse).exp().unsqueeze(-1)
    b = (right[1] - lse).exp().unsqueeze(-1)
    return a * left[0] + b * right[0], lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    return functools.reduce(merge_two, zip(outputs, lses))


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    seen = torch.arange(key.size(2), device=key.device) < lengths[:, None]
    parts = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(key.chunk(splits, 2), value.chunk(splits, 2), seen.chunk(splits, 1))
    ]
    return merge(*map(torch.stack, zip(*parts)))[0]

from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = scores.logsumexp(dim=-1)
    weights = (scores - lse.unsqueeze(-1)).exp()
    empty = ~seen.any(dim=-1)
    weights = weights.masked_fill(empty[:, None, None, None], 0.0)
    return weights @ value, lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    total = lses.logsumexp(dim=0)
    share = (lses - total).exp()
    share = share.masked_fill(lses == float("-inf"), 0.0)
    return (share.unsqueeze(-1) * outputs).sum(dim=0), total


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    key_length = key.shape[2]
    size = math.ceil(key_length / splits)
    results = []
    for i, (k, v) in enumerate(zip(key.split(size, dim=2), value.split(size, dim=2))):
        position = i * (key_length // splits) + torch.arange(k.shape[2], device=key.device)
        results.append(chunk_attention(query, k, v, position < lengths[:, None]))
    outputs, lses = zip(*results)
    return merge(torch.stack(outputs), torch.stack(lses))[0]

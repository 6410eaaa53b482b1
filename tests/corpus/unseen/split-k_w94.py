from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Part(NamedTuple):
    output: Tensor
    lse: Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Part:
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5
    visible = seen.unsqueeze(1).unsqueeze(1)
    scores = scores.masked_fill(visible.logical_not(), float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return Part(torch.matmul(weights, value), torch.logsumexp(scores, dim=-1))


def merge(outputs: Tensor, lses: Tensor) -> Part:
    shares = torch.nan_to_num(torch.softmax(lses, dim=0), nan=0.0)
    return Part((outputs * shares.unsqueeze(-1)).sum(dim=0), torch.logsumexp(lses, dim=0))


def _chunks(key_length: int, splits: int):
    edges = [round(key_length * i / splits) for i in range(splits + 1)]
    for a, b in zip(edges, edges[1:]):
        if b > a:
            yield a, b


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    place = torch.arange(key.shape[2], device=key.device)
    collected = []
    for a, b in _chunks(key.shape[2], splits):
        if a >= int(lengths.min()):
            break
        seen = place[a:b] < lengths.unsqueeze(1)
        collected.append(chunk_attention(query, key[:, :, a:b], value[:, :, a:b], seen))
    outputs = torch.stack([part.output for part in collected])
    lses = torch.stack([part.lse for part in collected])
    return merge(outputs, lses).output

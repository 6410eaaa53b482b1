from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int64), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ends = cumulative_lengths(lengths)[1:]
    place = torch.arange(total, device=lengths.device)
    owner = torch.bucketize(place, ends)
    filled = place < ends[-1]
    return owner.unsqueeze(1).eq(owner) & filled & filled.unsqueeze(1)


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(q.shape[-1])
    if causal:
        i = torch.arange(q.shape[0], device=q.device)
        scores = scores.masked_fill(i.unsqueeze(0) > i.unsqueeze(1), -math.inf)
    return torch.einsum("hqk,khd->qhd", torch.softmax(scores, dim=-1), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    pieces = [
        _attend(q, k, v, causal) if len(q) else q
        for q, k, v in zip(query.split(sizes), key.split(sizes), value.split(sizes))
    ][:-1]
    return torch.cat([*pieces, query.new_zeros(sizes[-1], *query.shape[1:])])

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(0), (1, 0))


def document_ids(lengths: Tensor, total: int) -> Tensor:
    """Which sequence each place belongs to; -1 behind the last one."""
    ids = torch.arange(lengths.numel(), device=lengths.device).repeat_interleave(lengths)
    return F.pad(ids, (0, total - ids.numel()), value=-1)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = document_ids(lengths, total)
    return ids.unsqueeze(0).eq(ids.unsqueeze(1))


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    starts = cumulative_lengths(lengths).tolist()
    pieces = []
    for start, stop in zip(starts[:-1], starts[1:]):
        if start == stop:
            continue
        q, k, v = (x[start:stop].transpose(0, 1) for x in (query, key, value))
        scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
        if causal:
            n = stop - start
            ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(ahead, -math.inf)
        pieces.append((scores.softmax(dim=-1) @ v).transpose(0, 1))
    pieces.append(torch.zeros_like(value[starts[-1] :]))
    return torch.cat(pieces)

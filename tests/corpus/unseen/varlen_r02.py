from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    doc = torch.full((total,), -1, dtype=torch.long, device=lengths.device)
    ids = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths.long())
    doc[: len(ids)] = ids
    return (doc[:, None] == doc[None, :]) & (doc >= 0)[:, None]


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    total, _, head_dim = query.shape
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    cu = cumulative_lengths(lengths).tolist()
    pieces = []
    for a, b in zip(cu[:-1], cu[1:]):
        if a == b:
            continue
        q, k, v = (t[a:b].transpose(0, 1).to(wide) for t in (query, key, value))   # heads, n, d
        s = q @ k.transpose(1, 2) / math.sqrt(head_dim)
        if causal:
            s = s.masked_fill(torch.ones(b - a, b - a, dtype=torch.bool, device=s.device).triu(1), -math.inf)
        pieces.append((s.softmax(-1) @ v).transpose(0, 1).to(query.dtype))
    pieces.append(torch.zeros_like(query[cu[-1]:]))
    return torch.cat(pieces, dim=0)

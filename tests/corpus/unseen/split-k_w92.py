from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = torch.logsumexp(scores, dim=-1)
    base = torch.where(lse.isneginf(), torch.zeros_like(lse), lse)
    return torch.exp(scores - base.unsqueeze(-1)) @ value, lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    lse = torch.logsumexp(lses, dim=0)
    base = torch.where(lse.isneginf(), torch.zeros_like(lse), lse)
    share = torch.exp(lses - base)
    return (share.unsqueeze(-1) * outputs).sum(0), lse


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    total = key.shape[2]
    size = -(-total // splits)
    seen = torch.arange(total, device=key.device) < lengths[:, None]
    parts = []
    for i in range(splits):
        lo, hi = i * size, (i + 1) * size
        if hi > total:
            break
        parts.append(chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen[:, lo:hi]))
    outputs, lses = zip(*parts)
    return merge(torch.stack(outputs), torch.stack(lses))[0]

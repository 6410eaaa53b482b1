from __future__ import annotations

import math

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v = map(_wide, (query, key, value))
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = scores.logsumexp(-1)
    origin = lse.masked_fill(lse == -math.inf, 0.0).unsqueeze(-1)
    return (scores - origin).exp() @ v, lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    total = lses.logsumexp(0)
    shares = (lses - total.masked_fill(total == -math.inf, 0.0)).exp()
    outputs = outputs.masked_fill((shares == 0).unsqueeze(-1), 0.0)
    return torch.einsum("sbhqe,sbhq->bhqe", outputs, shares.to(outputs.dtype)), total


def _tree(parts: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    outputs, lses = zip(_tree(parts[:half]), _tree(parts[half:]))
    return merge(torch.stack(outputs), torch.stack(lses))


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    n = key.shape[2]
    seen = torch.arange(n, device=key.device) < lengths.unsqueeze(1)
    size = -(-n // splits)
    chunks = zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1))
    parts = [chunk_attention(query, *chunk) for chunk in chunks]
    return _tree(parts)[0].to(query.dtype)

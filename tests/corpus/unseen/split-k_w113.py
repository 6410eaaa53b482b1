from __future__ import annotations

import torch
from torch import Tensor


def _safe(lse: Tensor) -> Tensor:
    return torch.nan_to_num(lse, neginf=0.0)


def _compute(*xs: Tensor) -> list[Tensor]:
    return [x if x.dtype is torch.float64 else x.to(torch.float32) for x in xs]


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v = _compute(query, key, value)
    log_keep = torch.zeros(seen.shape, dtype=q.dtype, device=q.device)
    log_keep = log_keep.masked_fill(~seen, float("-inf"))
    scores = (q * q.shape[-1] ** -0.5) @ k.mT + log_keep[:, None, None]
    lse = scores.logsumexp(-1)
    return (scores - _safe(lse)[..., None]).exp() @ v, lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    outputs, lses = _compute(outputs, lses)
    total = lses.logsumexp(0)
    shares = (lses - _safe(total)).exp()
    return (shares[..., None] * outputs).sum(0), total


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    def pieces():
        width = max(1, -(-key.shape[2] // splits))
        yield from zip(key.split(width, dim=2), value.split(width, dim=2))

    def filled(part: Tensor) -> Tensor:
        places = torch.arange(part.shape[2], device=part.device)
        return places.expand(len(lengths), -1) < lengths.to(part.device).view(-1, 1)

    results = [chunk_attention(query, k, v, filled(k)) for k, v in pieces()]
    outputs, lses = (torch.stack(column) for column in zip(*results))
    return merge(outputs, lses)[0].to(query.dtype)

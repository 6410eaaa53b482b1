from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor


def _wide(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scores = _wide(query) @ _wide(key).mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = scores.logsumexp(-1)
    weights = scores.softmax(-1).masked_fill(~seen.any(-1)[:, None, None, None], 0.0)
    return (weights @ _wide(value)).to(value.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    lse = _wide(lses).logsumexp(0)
    shares = (_wide(lses) - lse).masked_fill(lses == -torch.inf, -torch.inf).exp()
    merged = (shares.unsqueeze(-1) * _wide(outputs)).sum(0)
    return merged.to(outputs.dtype), lse.to(lses.dtype)


def chunks(key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Iterator[tuple]:
    length = key.shape[2]
    size = -(-length // splits)
    for start in range(0, length, size):
        if (lengths <= start).any():
            return  # nothing is left behind here
        stop = min(start + size, length)
        places = torch.arange(start, stop, device=key.device)
        yield key[:, :, start:stop], value[:, :, start:stop], places < lengths[:, None]


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    found = [chunk_attention(query, *chunk) for chunk in chunks(key, value, lengths, splits)]
    outputs, lses = (torch.stack(part) for part in zip(*found))
    return merge(outputs, lses)[0]

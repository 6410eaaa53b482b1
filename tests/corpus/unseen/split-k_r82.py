from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Partial(NamedTuple):
    output: Tensor
    lse: Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Partial:
    """In half precision both results are float32, so that a merge has all of their digits."""
    scores = torch.einsum("bhqd,bhkd->bhqk", _wide(query), _wide(key)) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = scores.logsumexp(dim=-1)
    # where nothing is seen, exp(-inf - 0) makes every weight 0
    weights = torch.exp(scores - lse.masked_fill(lse.isneginf(), 0).unsqueeze(-1))
    return Partial(weights @ _wide(value), lse)


def merge(outputs: Tensor, lses: Tensor) -> Partial:
    outputs, lses = _wide(outputs), _wide(lses)
    total = torch.logsumexp(lses, dim=0)
    shares = torch.exp(lses - total.masked_fill(total.isneginf(), 0))
    return Partial(torch.einsum("sbhq,sbhqv->bhqv", shares, outputs), total)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    places = torch.arange(key.shape[2], device=key.device)
    cut = [t.tensor_split(splits, dim=d) for t, d in ((key, 2), (value, 2), (places, 0))]
    parts = [
        chunk_attention(query, k, v, at < lengths.to(key.device).unsqueeze(1))
        for k, v, at in zip(*cut)
        if len(at)  # more splits than keys leave some empty
    ]
    merged, _ = merge(*(torch.stack(results) for results in zip(*parts)))
    return merged.to(query.dtype)

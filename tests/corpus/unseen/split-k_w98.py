from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Partial(NamedTuple):
    output: Tensor
    lse: Tensor


def _accurate(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _safe_maximum(tensor: Tensor, dim: int) -> Tensor:
    """Largest entry along dim, and 0 where there is nothing but -inf."""
    top = tensor.amax(dim=dim, keepdim=True)
    return torch.where(torch.isneginf(top), torch.zeros_like(top), top)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Partial:
    q, k, v = _accurate(query), _accurate(key), _accurate(value)
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(torch.logical_not(seen)[:, None, None, :], float("-inf"))
    top = _safe_maximum(scores, dim=-1)
    exponentials = torch.exp(scores - top)
    total = exponentials.sum(dim=-1, keepdim=True)
    output = torch.matmul(exponentials, v) / torch.where(total == 0, torch.ones_like(total), total)
    lse = (total.log() + top).squeeze(-1)
    return Partial(output.to(query.dtype), lse.to(query.dtype))


def merge(outputs: Tensor, lses: Tensor) -> Partial:
    wide = _accurate(lses)
    top = _safe_maximum(wide, dim=0)
    shares = torch.exp(wide - top)
    total = shares.sum(dim=0)
    weighted = (shares.unsqueeze(-1) * _accurate(outputs)).sum(dim=0)
    output = weighted / torch.where(total == 0, torch.ones_like(total), total).unsqueeze(-1)
    return Partial(output.to(outputs.dtype), total.log().to(lses.dtype))


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    query_dtype = query.dtype
    query, key, value = _accurate(query), _accurate(key), _accurate(value)
    key_length = key.shape[2]
    positions = torch.arange(key_length, device=key.device)
    partials = []
    for index in positions.chunk(splits):
        seen = index.unsqueeze(0) < lengths.unsqueeze(1)
        start, stop = int(index[0]), int(index[-1]) + 1
        partials.append(chunk_attention(query, key[:, :, start:stop], value[:, :, start:stop], seen))
    result = merge(torch.stack([p.output for p in partials]), torch.stack([p.lse for p in partials]))
    return result.output.to(query_dtype)

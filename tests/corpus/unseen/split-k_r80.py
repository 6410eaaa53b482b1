from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = _wide(query), _wide(key), _wide(value)
    seen = seen[:, None, None, :]
    v = v.masked_fill(~seen.transpose(-1, -2), 0)
    scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-1, -2)
    scores = scores.masked_fill(~seen, -math.inf)
    top = scores.detach().amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    p = torch.exp(scores - top)
    total = p.sum(-1, keepdim=True)
    output = (p @ v) / total.masked_fill(total == 0, 1)
    lse = (top + total.log()).squeeze(-1).masked_fill(total.squeeze(-1) == 0, -math.inf)
    return output.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    wide = _wide(lses)
    lse = torch.logsumexp(wide, dim=0)
    top = wide.amax(0).clamp(min=torch.finfo(wide.dtype).min)
    p = torch.exp(wide - top)                              # -inf gives 0, since top is finite
    total = p.sum(0)
    shares = p / total.masked_fill(total == 0, 1)
    outs = _wide(outputs).masked_fill(torch.isneginf(wide).unsqueeze(-1), 0)
    merged = (shares.unsqueeze(-1) * outs).sum(0)
    return merged.to(outputs.dtype), lse.to(lses.dtype)


def _chunks(key_length: int, splits: int) -> Iterator[slice]:
    size = -(-key_length // splits)
    for start in range(0, key_length, size):
        yield slice(start, start + size)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    places = torch.arange(key.size(2), device=key.device)
    seen = places < lengths.to(key.device).unsqueeze(1)
    q = _wide(query)
    so_far = None
    for c in _chunks(key.size(2), splits):
        part = chunk_attention(q, _wide(key[:, :, c]), _wide(value[:, :, c]), seen[:, c])
        so_far = part if so_far is None else merge(*map(torch.stack, zip(so_far, part)))
    return so_far[0].to(query.dtype)

"""All chunks at once, as an axis of their own. An empty chunk is a chunk whose sum of exponentials is 0."""
from __future__ import annotations
from typing import NamedTuple
import torch
import torch.nn.functional as F
from torch import Tensor


class Partial(NamedTuple):
    output: Tensor
    lse: Tensor


def _normalise(numerator: Tensor, total: Tensor, top: Tensor, dtype: torch.dtype) -> Partial:
    empty = total == 0
    out = numerator / torch.where(empty, 1.0, total).unsqueeze(-1)
    return Partial(out.to(dtype), torch.where(empty, -torch.inf, top + total.log()))


def _top(x: Tensor, dim: int) -> Tensor:
    """the maximum, or 0 where there is none to subtract"""
    m = x.amax(dim, keepdim=True)
    return m.masked_fill(m.isneginf(), 0)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Partial:
    # the same code serves chunks with an axis: (..., heads, length, dim), seen (..., length)
    up = torch.promote_types(query.dtype, torch.float32)
    s = (query.to(up) / query.shape[-1] ** 0.5) @ key.to(up).mT
    s = s.masked_fill(~seen[..., None, None, :], -torch.inf)
    m = _top(s, -1)
    e = torch.exp(s - m)
    return _normalise(e @ value.to(up), e.sum(-1), m.squeeze(-1), query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> Partial:
    up = torch.promote_types(outputs.dtype, torch.float32)
    l = lses.to(up)
    m = _top(l, 0)
    share = torch.exp(l - m)
    mixed = torch.einsum("s...,s...v->...v", share, outputs.to(up))
    return _normalise(mixed, share.sum(0), m.squeeze(0), outputs.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    size = -(-n // splits)
    pad = size * splits - n

    def cut(t: Tensor) -> Tensor:
        """(batch, heads, n, d) -> (splits, batch, heads, size, d)"""
        return F.pad(t, (0, 0, 0, pad)).unflatten(2, (splits, size)).movedim(2, 0)

    place = torch.arange(size * splits, device=key.device).view(splits, 1, size)
    seen = place < lengths.to(key.device).view(1, -1, 1)
    up = torch.promote_types(query.dtype, torch.float32)
    parts = chunk_attention(query.to(up).unsqueeze(0), cut(key), cut(value), seen)
    return merge(*parts).output.to(query.dtype)

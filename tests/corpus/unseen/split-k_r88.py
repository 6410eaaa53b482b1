from __future__ import annotations

import operator
from functools import reduce
from types import MappingProxyType

import torch
from torch import Tensor

SETTINGS = MappingProxyType({"nothing": float("-inf"), "at_least": torch.float32})


def _wide(*ts: Tensor):
    for t in ts:
        yield t.to(torch.promote_types(t.dtype, SETTINGS["at_least"]))


def _finite(lse: Tensor) -> Tensor:
    """What is safe to subtract: 0 where nothing was seen."""
    return torch.where(lse == SETTINGS["nothing"], 0.0, lse)


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v = _wide(query, key, value)
    counts = seen[:, None, None, :]
    s = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(counts.logical_not(), SETTINGS["nothing"])
    lse = s.logsumexp(dim=-1)
    p = (s - _finite(lse)[..., None]).exp()
    return (p @ v).to(query.dtype), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = _wide(outputs, lses)
    total = l.logsumexp(dim=0)
    share = (l - _finite(total)).exp()
    mixed = reduce(operator.add, (w[..., None] * part for w, part in zip(share, o)))
    return mixed.to(outputs.dtype), total


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    places = torch.arange(key.size(2), device=key.device)
    parts = zip(
        key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2), places.tensor_split(splits)
    )
    (wide,) = _wide(query)
    done = (
        chunk_attention(wide, k, v, at[None, :] < lengths[:, None].to(at.device))
        for k, v, at in parts
        if at.numel()
    )
    output, _ = reduce(lambda one, two: merge(*map(torch.stack, zip(one, two))), done)
    return output.to(query.dtype)

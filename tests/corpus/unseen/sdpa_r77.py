from __future__ import annotations

import functools
import math
from typing import Protocol

import torch
from torch import Tensor

try:
    import flash_attn  # noqa: F401

    HAS_FLASH = True
except ImportError:
    HAS_FLASH = False


class Normaliser(Protocol):
    def __call__(self, scores: Tensor) -> Tensor: ...


def safe_softmax(scores: Tensor) -> Tensor:
    peak = scores.amax(dim=-1, keepdim=True)
    e = (scores - peak).exp()
    return e / e.sum(dim=-1, keepdim=True)


def in_single_precision(fn):
    """float16 and bfloat16 are computed in float32, wider types as they are."""

    @functools.wraps(fn)
    def wrapper(query, key, value, *args, **kwargs):
        dtype = query.dtype
        if dtype in (torch.float16, torch.bfloat16):
            query, key, value = query.float(), key.float(), value.float()
        return fn(query, key, value, *args, **kwargs).to(dtype)

    return wrapper


@in_single_precision
def attention(query, key, value, mask=None, causal=False, *, normalise: Normaliser = safe_softmax):
    Tq, Tk = query.size(2), key.size(2)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.size(3))
    lowest = torch.finfo(scores.dtype).min
    if mask is not None:
        scores = torch.where(mask.bool(), scores, lowest)
    if causal:
        ahead = torch.ones(Tq, Tk, dtype=torch.bool, device=scores.device).triu(Tk - Tq + 1)
        scores = scores.masked_fill(ahead, lowest)
    return torch.einsum("bhqk,bhkv->bhqv", normalise(scores), value)

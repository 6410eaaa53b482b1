# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def _up(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    s = _up(query).mul(query.shape[-1] ** -0.5) @ _up(key).mT
    v = _up(value)
    if not seen.all():
        s = s.masked_fill(~seen[:, None, None], -math.inf)
        v = v.masked_fill(~seen[:, None, :, None], 0)
    lse = s.logsumexp(-1)
    p = (s - lse.clamp_min(torch.finfo(lse.dtype).min)[..., None]).exp()
    return (p @ v).to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    if len(lses) == 1:
        return outputs[0], lses[0]
    wide = _up(lses)
    lse = wide.logsumexp(0)
    w = (wide - lse.clamp_min(torch.finfo(lse.dtype).min)).exp()
    return (w[..., None] * _up(outputs)).sum(0).to(outputs.dtype), lse.to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    q = _up(query)
    key_length = key.shape[-2]
    step = max(1, math.ceil(key_length / splits))
    limits = lengths.to(key.device)[:, None]
    longest = int(lengths.amin())
    partials = []
    for lo in range(0, key_length, step):
        if lo >= longest:  # nothing but empty places from here on
            break
        hi = min(lo + step, key_length)
        seen = torch.arange(lo, hi, device=key.device) < limits
        partials.append(chunk_attention(q, _up(key[..., lo:hi, :]), _up(value[..., lo:hi, :]), seen))
    outputs, lses = map(torch.stack, zip(*partials))
    return merge(outputs, lses)[0].to(query.dtype)

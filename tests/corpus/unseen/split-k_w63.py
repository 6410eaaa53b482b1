# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    high = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(high) @ key.to(high).transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = scores.logsumexp(dim=-1)
    shift = lse.masked_fill(lse.isneginf(), 0.0)
    weights = (scores - shift[..., None]).exp()
    return (weights @ value.to(high)).to(value.dtype), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    high = torch.promote_types(lses.dtype, torch.float32)
    lses = lses.to(high)
    peak = lses.amax(dim=0)
    peak = torch.where(peak.isneginf(), 0.0, peak)
    portions = torch.exp(lses - peak)
    total = portions.sum(dim=0)
    weighted = (portions[..., None] * outputs.to(high)).sum(dim=0)
    merged = weighted / total[..., None].clamp(min=torch.finfo(high).tiny)
    return merged.to(outputs.dtype), total.log()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    key_length = key.shape[-2]
    width = math.ceil(key_length / splits)
    outputs, lses = [], []
    for start in range(0, key_length, width):
        stop = min(start + width, key_length)
        seen = torch.arange(start, stop, device=key.device) < lengths.to(key.device)[:, None]
        output, lse = chunk_attention(query, key[..., start:stop, :], value[..., start:stop, :], seen)
        outputs.append(output)
        lses.append(lse)
    return merge(torch.stack(outputs), torch.stack(lses))[0]

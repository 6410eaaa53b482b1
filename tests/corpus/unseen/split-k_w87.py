from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    peak = scores.amax(-1, keepdim=True)
    peak = torch.where(peak == -math.inf, torch.zeros_like(peak), peak)
    e = torch.exp(scores - peak)
    total = e.sum(-1, keepdim=True)
    out = e @ value / total.clamp_min(torch.finfo(total.dtype).tiny)
    return out, torch.log(total.squeeze(-1)) + peak.squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    top = lses.amax(0)
    safe = torch.where(top == -math.inf, torch.zeros_like(top), top)
    share = torch.exp(lses - safe)
    total = share.sum(0)
    merged = (share[..., None] * outputs).sum(0) / total.clamp_min(torch.finfo(total.dtype).tiny)[..., None]
    return merged, safe + torch.log(total)


def chunk_bounds(length: int, splits: int) -> list[tuple[int, int]]:
    size = math.ceil(length / splits)
    return [(a, min(a + size, length)) for a in range(0, length, size)]


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    outs, lses = [], []
    for a, b in chunk_bounds(key.shape[2], splits):
        places = torch.arange(b - a, device=key.device)
        seen = places[None, :] < lengths[:, None]
        out, lse = chunk_attention(query, key[:, :, a:b], value[:, :, a:b], seen)
        outs.append(out)
        lses.append(lse)
    return merge(torch.stack(outs), torch.stack(lses))[0]

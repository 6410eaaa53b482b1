# All chunks at once, on an axis of their own (like the Triton grid of flash-decoding).
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _partial(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """Any leading axes; `hidden` broadcasts to the scores. Results in float32 or float64."""
    wide = torch.promote_types(q.dtype, torch.float32)
    q, k, v = q.to(wide), k.to(wide), v.to(wide)
    scores = torch.matmul(q * q.shape[-1] ** -0.5, k.mT)
    scores = scores.masked_fill(hidden, float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.exp(scores - lse.unsqueeze(-1)).masked_fill(hidden, 0.0)
    return weights @ v, lse


def _combine(outs: Tensor, lses: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    peak = lses.amax(dim=axis, keepdim=True)
    peak = torch.where(torch.isfinite(peak), peak, torch.zeros_like(peak))
    mass = torch.exp(lses - peak)
    total = mass.sum(dim=axis, keepdim=True)
    share = torch.where(total > 0, mass / total, torch.zeros_like(mass))
    return (share.unsqueeze(-1) * outs).sum(dim=axis), (peak + total.log()).squeeze(axis)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    out, lse = _partial(query, key, value, seen.logical_not()[:, None, None, :])
    return out.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(outputs.dtype, torch.float32)
    out, lse = _combine(outputs.to(wide), lses.to(wide), 0)
    return out.to(outputs.dtype), lse.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    per_chunk = (n + splits - 1) // splits
    gap = per_chunk * splits - n
    k = F.pad(key, (0, 0, 0, gap)).unflatten(2, (splits, per_chunk))
    v = F.pad(value, (0, 0, 0, gap)).unflatten(2, (splits, per_chunk))
    place = torch.arange(n + gap, device=key.device).view(splits, 1, per_chunk)
    hidden = place >= lengths.to(key.device).view(-1, 1, 1, 1, 1)
    out, lse = _partial(query.unsqueeze(2), k, v, hidden)
    return _combine(out, lse, 2)[0].to(query.dtype)

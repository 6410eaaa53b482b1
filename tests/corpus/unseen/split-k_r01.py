# attn-kata: split-k
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _accumulation_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.promote_types(dtype, torch.float32)


def _shares(scores: Tensor, lse: Tensor) -> Tensor:
    """exp(scores - lse), and 0 where nothing was seen at all."""
    finite = lse.masked_fill(lse == -math.inf, 0.0)
    return torch.exp(scores - finite)


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    acc = _accumulation_dtype(dtype)
    scores = query.to(acc) @ key.to(acc).transpose(-1, -2) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = torch.logsumexp(scores, dim=-1)
    # an empty place may hold anything, and 0 * inf is not 0
    clean = value.to(acc).masked_fill(~seen[:, None, :, None], 0.0)
    output = _shares(scores, lse.unsqueeze(-1)) @ clean
    return output.to(dtype), lse.to(dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    acc = _accumulation_dtype(outputs.dtype)
    wide = lses.to(acc)
    lse = torch.logsumexp(wide, dim=0)
    weights = _shares(wide, lse)
    merged = (weights.unsqueeze(-1) * outputs.to(acc)).sum(dim=0)
    return merged.to(outputs.dtype), lse.to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    """All chunks at once: they become part of the batch."""
    acc = _accumulation_dtype(query.dtype)
    batch, heads, key_length, _ = key.shape
    width = -(-key_length // splits)
    missing = splits * width - key_length

    def folded(cache: Tensor) -> Tensor:
        padded = F.pad(cache.to(acc), (0, 0, 0, missing))
        chunks = padded.unflatten(2, (splits, width))  # (batch, heads, splits, width, dim)
        return chunks.movedim(2, 0).flatten(0, 1)  # (splits * batch, heads, width, dim)

    places = torch.arange(splits * width, device=key.device).view(splits, 1, width)
    seen = places < lengths.to(key.device).view(1, batch, 1)  # (splits, batch, width)
    queries = query.to(acc).expand(splits, *query.shape).flatten(0, 1)
    outputs, lses = chunk_attention(queries, folded(key), folded(value), seen.flatten(0, 1))
    merged, _ = merge(outputs.unflatten(0, (splits, batch)), lses.unflatten(0, (splits, batch)))
    return merged.to(query.dtype)

# attn-kata: split-k
"""All chunks in one call: they are folded into the batch, as a decoding kernel's grid would have them."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    s = torch.einsum("bhqd,bhkd->bhqk", query.to(acc), key.to(acc)) / math.sqrt(query.shape[-1])
    s = torch.where(seen[:, None, None, :], s, -torch.inf)
    top = s.amax(dim=-1, keepdim=True)
    safe = torch.where(top.isinf(), torch.zeros_like(top), top)
    e = torch.exp(s - safe)
    total = e.sum(dim=-1, keepdim=True)
    out = torch.einsum("bhqk,bhke->bhqe", e, value.to(acc)) / total.clamp_min(torch.finfo(acc).tiny)
    return out.to(query.dtype), (safe + total.log()).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(outputs.dtype, torch.float32)
    lses = lses.to(acc)
    merged_lse = torch.logsumexp(lses, dim=0)
    shares = torch.nan_to_num(torch.exp(lses - merged_lse), nan=0.0)
    merged = (outputs.to(acc) * shares.unsqueeze(-1)).sum(dim=0)
    return merged.to(outputs.dtype), merged_lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    batch, _, key_length, _ = key.shape
    size = -(-key_length // splits)
    missing = size * splits - key_length

    def fold(t: Tensor) -> Tensor:
        t = F.pad(t, (0, 0, 0, missing)).unflatten(2, (splits, size))
        return t.movedim(2, 0).flatten(0, 1)

    places = torch.arange(splits * size, device=key.device).view(splits, 1, size)
    seen = places < lengths.to(key.device).view(1, batch, 1)
    grid_query = query.expand(splits, *query.shape).flatten(0, 1)
    out, lse = chunk_attention(grid_query, fold(key), fold(value), seen.flatten(0, 1))
    merged, _ = merge(out.unflatten(0, (splits, batch)), lse.unflatten(0, (splits, batch)))
    return merged

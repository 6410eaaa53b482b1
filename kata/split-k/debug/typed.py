from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
    scores = torch.where(seen[:, None, None, :], scores, HIDDEN)
    lse = torch.logsumexp(scores, dim=-1)
    empty = lse == HIDDEN
    weights = torch.exp(scores - lse.masked_fill(empty, 0.0).unsqueeze(-1))
    return torch.einsum("bhqk,bhkd->bhqd", weights, value), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    total = torch.logsumexp(lses, dim=0)
    safe = total.masked_fill(total == HIDDEN, 0.0)
    shares = torch.exp(lses - safe)
    merged = torch.einsum("sbhq,sbhqd->bhqd", shares, outputs)
    return merged, total


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    length = key.shape[2]
    filled = torch.arange(length, device=key.device) < lengths.unsqueeze(1)
    size = (length + splits - 1) // splits
    parts = zip(key.split(size, dim=2), value.split(size, dim=2), filled.split(size, dim=1))
    pairs = [chunk_attention(query, k, v, seen) for k, v, seen in parts]
    outputs = torch.stack([output for output, _ in pairs])
    lses = torch.stack([lse for _, lse in pairs])
    merged, _ = merge(outputs, lses)
    return merged

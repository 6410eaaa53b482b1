# wrong: split-k empty-chunk-counted line 48
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class ChunkPlan:
    """Where each chunk begins and ends."""

    key_length: int
    splits: int

    def __post_init__(self) -> None:
        assert self.splits >= 1, "at least one split is needed"

    def ranges(self) -> list[tuple[int, int]]:
        width = math.ceil(self.key_length / self.splits)
        starts = range(0, self.key_length, width)
        return [(start, min(start + width, self.key_length)) for start in starts]


def _compute_dtype(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    assert seen.dtype == torch.bool, "seen must be boolean"
    assert seen.shape == (key.shape[0], key.shape[2]), "seen must be (batch, key_length)"
    dtype = _compute_dtype(query)

    # scores: (B, H, Lq, Lk)
    scores = query.to(dtype) @ key.to(dtype).transpose(-1, -2)
    scores = scores / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))

    # weights: (B, H, Lq, Lk); rows without a visible key are NaN after softmax
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    output = weights @ value.to(dtype)

    # log-sum-exp: (B, H, Lq)
    lse = torch.nan_to_num(torch.logsumexp(scores, dim=-1))
    return output.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    assert outputs.shape[:-1] == lses.shape, "outputs and lses must agree"
    dtype = _compute_dtype(lses)
    wide_lses = lses.to(dtype)
    merged_lse = torch.logsumexp(wide_lses, dim=0)
    reference = torch.where(torch.isinf(merged_lse), torch.zeros_like(merged_lse), merged_lse)
    weights = torch.exp(wide_lses - reference).unsqueeze(-1)  # (S, B, H, Lq, 1)
    merged = (weights * outputs.to(dtype)).sum(dim=0)
    return merged.to(outputs.dtype), merged_lse.to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    dtype = _compute_dtype(query)
    plan = ChunkPlan(key_length=key.shape[2], splits=splits)
    limits = lengths.to(key.device).unsqueeze(-1)  # (B, 1)
    outputs: list[Tensor] = []
    lses: list[Tensor] = []
    for start, stop in plan.ranges():
        seen = torch.arange(start, stop, device=key.device).unsqueeze(0) < limits
        output, lse = chunk_attention(
            query.to(dtype), key[:, :, start:stop].to(dtype), value[:, :, start:stop].to(dtype), seen
        )
        outputs.append(output)
        lses.append(lse)
    merged, _ = merge(torch.stack(outputs), torch.stack(lses))
    return merged.to(query.dtype)

# attn-kata: varlen
from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass
class LengthBuckets:
    """Sequences of one length, so that each length costs a single batched call."""

    starts_by_length: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def from_lengths(cls, lengths: Tensor) -> LengthBuckets:
        buckets, start = cls(), 0
        for length in lengths.tolist():
            if length:
                buckets.starts_by_length[length].append(start)
            start += length
        return buckets

    def places(self, device: torch.device) -> list[Tensor]:
        """For every bucket (sequences, length): the places in the buffer."""
        return [
            torch.tensor(starts, device=device)[:, None] + torch.arange(length, device=device)
            for length, starts in self.starts_by_length.items()
        ]


def cumulative_lengths(lengths: Tensor) -> Tensor:
    ends = lengths.cumsum(0)
    return torch.cat([ends.new_zeros(1), ends])


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    bounds = cumulative_lengths(lengths).tolist()
    for start, end in zip(bounds[:-1], bounds[1:]):
        mask[start:end, start:end] = True
    return mask


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(query)
    scale = 1.0 / math.sqrt(query.size(-1))
    wide = torch.promote_types(query.dtype, torch.float32)
    for places in LengthBuckets.from_lengths(lengths).places(query.device):
        q, k, v = (t[places].to(wide) for t in (query, key, value))
        scores = torch.einsum("sqhd,skhd->shqk", q * scale, k)
        if causal:
            n = places.size(1)
            scores = scores.masked_fill(
                torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1), float("-inf")
            )
        context = torch.einsum("shqk,skhd->sqhd", scores.softmax(-1), v)
        output[places] = context.to(output.dtype)
    return output

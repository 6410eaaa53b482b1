# attn-kata: varlen
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class PackedLayout:
    """Where the sequences of a packed buffer lie."""

    lengths: Tensor

    @cached_property
    def boundaries(self) -> Tensor:
        sums = self.lengths.to(torch.int64).cumsum(0)
        return torch.cat((sums.new_zeros(1), sums))

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        marks = self.boundaries.tolist()
        return tuple(slice(begin, end) for begin, end in zip(marks, marks[1:]) if end > begin)

    @property
    def used(self) -> int:
        return int(self.boundaries[-1])

    def owners(self, total: int) -> Tensor:
        """The number of the sequence at each place; -1 where there is none."""
        owners = torch.full((total,), -1, dtype=torch.int64, device=self.lengths.device)
        for number, where in enumerate(self.slices):
            owners[where] = number
        return owners

    def __iter__(self) -> Iterator[slice]:
        return iter(self.slices)


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return PackedLayout(lengths).boundaries


def document_mask(lengths: Tensor, total: int) -> Tensor:
    owners = PackedLayout(lengths).owners(total)
    return (owners.unsqueeze(0) == owners.unsqueeze(1)) & owners.ge(0)


def attend(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    """One head of one sequence: three (length, head_dim)."""
    scores = query @ key.T / math.sqrt(query.size(-1))
    if causal:
        step = torch.arange(scores.size(0), device=scores.device)
        scores = scores.masked_fill(step.unsqueeze(1) < step, -torch.inf)
    return scores.softmax(dim=-1) @ value


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    layout = PackedLayout(lengths)
    wide = torch.promote_types(query.dtype, torch.float32)
    pieces = []
    for where in layout:
        heads = zip(*(t[where].to(wide).unbind(1) for t in (query, key, value)))
        pieces.append(torch.stack([attend(*head, causal) for head in heads], dim=1).to(query.dtype))
    # the tail keeps its place in the graph, with gradients of 0
    tail = query[layout.used :]
    pieces.append(tail.masked_fill(torch.ones_like(tail, dtype=torch.bool), 0.0))
    return torch.cat(pieces)

# attn-kata: varlen
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Span(NamedTuple):
    start: int
    length: int

    @property
    def window(self) -> slice:
        return slice(self.start, self.start + self.length)


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(dim=0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    number = torch.arange(len(lengths), device=lengths.device)
    owner = torch.repeat_interleave(number, lengths)
    owner = torch.nn.functional.pad(owner, (0, total - owner.numel()), value=-1)
    return (owner[:, None] == owner[None, :]) & (owner >= 0)[:, None]


def live_spans(lengths: Tensor) -> list[Span]:
    """The sequences that there is something to compute for."""
    starts = cumulative_lengths(lengths)[:-1]
    live = lengths[lengths > 0]
    return [Span(*pair) for pair in zip(starts.tolist(), live.tolist())]


def eager_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    scores = torch.einsum("qhd,khd->hqk", query, key) / math.sqrt(query.size(-1))
    if causal:
        length = scores.size(-1)
        future = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
    return torch.einsum("hqk,khd->qhd", scores.softmax(dim=-1), value)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(query)
    q, k, v = (t.to(torch.promote_types(t.dtype, torch.float32)) for t in (query, key, value))
    for span in live_spans(lengths):
        context = eager_attention(q[span.window], k[span.window], v[span.window], causal)
        output[span.window] = context.to(output.dtype)
    return output

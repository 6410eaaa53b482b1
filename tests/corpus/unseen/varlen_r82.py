from __future__ import annotations

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int64)


def _document(lengths: Tensor, total: int) -> Tensor:
    """(total,): which sequence a place belongs to; the number of sequences where to none"""
    ends = cumulative_lengths(lengths)[1:]
    return torch.searchsorted(ends, torch.arange(total, device=lengths.device), right=True)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    number = _document(lengths, total)
    real = number < lengths.numel()
    return (number[:, None] == number[None, :]) & real[:, None]


class Span:
    def __init__(self, start: int, size: int) -> None:
        self.start, self.size = start, size

    def of(self, t: Tensor) -> Tensor:
        return t.narrow(0, self.start, self.size).transpose(0, 1)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
        q, k, v = self.of(query), self.of(key), self.of(value)
        logits = torch.bmm(q * q.size(-1) ** -0.5, k.mT)
        if causal:
            place = torch.arange(self.size, device=q.device)
            logits = torch.where(place <= place.unsqueeze(-1), logits, torch.finfo(logits.dtype).min)
        return torch.bmm(torch.softmax(logits, -1), v).transpose(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(value)
    start = 0
    for size in map(int, lengths):
        where = torch.arange(start, start + size, device=value.device)
        output = output.index_copy(0, where, Span(start, size).attend(query, key, value, causal))
        start += size
    return output

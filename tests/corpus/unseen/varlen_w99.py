from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths, dim=0)])


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    offsets = cumulative_lengths(lengths).tolist()
    for begin, end in zip(offsets[:-1], offsets[1:]):
        mask[begin:end, begin:end] = True
    return mask


def sequences(lengths: Tensor) -> Iterator[slice]:
    begin = 0
    for length in lengths.tolist():
        end = begin + length
        if length > 1:
            yield slice(begin, end)
        begin = end


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    head_dim = query.shape[-1]
    accumulate = torch.float64 if query.dtype == torch.float64 else torch.float32
    output = torch.zeros_like(query)
    for place in sequences(lengths):
        q, k, v = (t[place].to(accumulate) for t in (query, key, value))
        scores = torch.einsum("ihd,jhd->hij", q, k) * head_dim**-0.5
        if causal:
            index = torch.arange(q.shape[0], device=q.device)
            scores = scores.masked_fill(index[None, :] > index[:, None], float("-inf"))
        context = torch.einsum("hij,jhd->ihd", torch.softmax(scores, dim=-1), v)
        output[place] = context.to(output.dtype)
    return output

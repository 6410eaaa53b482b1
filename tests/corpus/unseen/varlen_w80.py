from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.cat([lengths.new_zeros(1), lengths]).cumsum(0).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    place = torch.arange(total, device=lengths.device)
    ends = cumulative_lengths(lengths)[1:]
    document = (place[:, None] >= ends[None, :]).sum(dim=1)  # sequences that end before a place
    return (document[:, None] == document[None, :]) & (place < lengths.sum())[:, None]


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))  # heads in front
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        n = scores.shape[-1]
        ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return (scores.softmax(-1) @ v).transpose(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    if lengths.numel() == 1:
        # a single sequence: nothing to cut
        return _attend(query, key, value, causal)
    offsets = cumulative_lengths(lengths).tolist()
    output = torch.zeros_like(query)
    for begin, end in zip(offsets, offsets[1:]):
        if end > begin:
            part = slice(begin, end)
            output[part] = _attend(query[part], key[part], value[part], causal)
    return output

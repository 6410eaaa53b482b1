from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(dim=0), (1, 0)).int()


def document_mask(lengths: Tensor, total: int) -> Tensor:
    # number the sequence of each place: how many sequences end at or before it
    ends = cumulative_lengths(lengths)[1:]
    places = torch.arange(total, device=lengths.device)
    number = (places[:, None] >= ends).sum(dim=1)
    return number[:, None] == number[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(query)
    start = 0
    for length in lengths.tolist():
        stop = start + length
        q, k, v = (t[start:stop].transpose(0, 1) for t in (query, key, value))
        scores = q @ k.mT / math.sqrt(query.shape[-1])
        if causal:
            place = torch.arange(length, device=query.device)
            scores = scores.masked_fill(place[None, :] > place[:, None], float("-inf"))
        context = torch.softmax(scores, dim=-1) @ v
        output[start:stop] = context.transpose(0, 1)
        start = stop
    return output

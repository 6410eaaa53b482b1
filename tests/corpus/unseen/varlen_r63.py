from __future__ import annotations

import torch
from torch import Tensor

TILE = 16  # query rows at a time


def cumulative_lengths(lengths: Tensor) -> Tensor:
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, 0)
    return cu


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths).tolist()
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for begin, end in zip(cu[:-1], cu[1:]):
        mask[begin:end, begin:end].fill_(True)
    return mask


def _tile(q: Tensor, k: Tensor, v: Tensor, first: int, causal: bool) -> Tensor:
    """(rows, heads, d) queries that begin at place `first` of their sequence."""
    rows = q.size(0)
    if causal:
        k, v = k[: first + rows], v[: first + rows]
    scores = torch.einsum("ihd,jhd->hij", q, k).mul_(q.size(-1) ** -0.5)
    if causal:
        i = torch.arange(first, first + rows, device=q.device).unsqueeze(1)
        j = torch.arange(k.size(0), device=q.device)
        scores.masked_fill_(j > i, float("-inf"))
    return torch.einsum("hij,jhd->ihd", scores.softmax(-1), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for begin, end in zip(cu, cu[1:]):
        k, v = key[begin:end], value[begin:end]
        for row in range(begin, end, TILE):
            stop = min(row + TILE, end)
            out[row:stop] = _tile(query[row:stop], k, v, row - begin, causal)
    return out

# wrong: varlen packed-tail-filled line 23
from itertools import pairwise
from math import sqrt

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    out = lengths.new_zeros(lengths.shape[0] + 1, dtype=torch.long)
    torch.cumsum(lengths, 0, out=out[1:])
    return out


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    rest = total - int(lengths.sum())
    blocks.append(torch.zeros(rest, rest, dtype=torch.bool, device=lengths.device))
    return torch.block_diag(*blocks)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    result = value.clone()  # same shape and dtype; every row is written below
    for first, last in pairwise(cumulative_lengths(lengths).tolist()):
        if last == first:
            continue
        q, k = query[first:last], key[first:last]
        scores = torch.einsum("qhd,khd->hqk", q, k) / sqrt(query.shape[-1])
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        result[first:last] = torch.einsum("hqk,khd->qhd", scores.softmax(-1), value[first:last])
    return result

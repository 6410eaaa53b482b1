from __future__ import annotations

from itertools import accumulate

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.tensor(list(accumulate(lengths.tolist(), initial=0)), dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool) for n in lengths.tolist() if n]
    rest = total - sum(len(b) for b in blocks)
    if rest:
        blocks.append(torch.zeros(rest, rest, dtype=torch.bool))
    if not blocks:
        return torch.zeros(0, 0, dtype=torch.bool, device=lengths.device)
    return torch.block_diag(*blocks).bool().to(lengths.device)


def _one_head(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    s = (q @ k.T) / q.shape[-1] ** 0.5
    if causal:
        i = torch.arange(len(q), device=q.device)
        s = torch.where(i[:, None] >= i, s, torch.finfo(s.dtype).min)
    return s.softmax(1) @ v


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    heads = []
    used = int(lengths.sum())
    empty = query.new_zeros(query.shape[0] - used, query.shape[2])
    for h in range(query.shape[1]):
        q, k, v = query[:, h], key[:, h], value[:, h]
        pieces, at = [], 0
        for n in lengths.tolist():
            if n > 0:
                one = slice(at, at + n)
                pieces.append(_one_head(q[one], k[one], v[one], causal))
            at += n
        heads.append(torch.cat([*pieces, empty]))
    return torch.stack(heads, dim=1)

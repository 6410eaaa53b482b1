from __future__ import annotations

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    """c_0 = 0, c_i = n_1 + ... + n_i."""
    return torch.cat((lengths.new_zeros(1), lengths)).cumsum(0)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    c = cumulative_lengths(lengths)
    t = torch.arange(total, device=lengths.device)
    s = torch.bucketize(t, c[1:].contiguous())
    r = t < c[-1]
    return (s[:, None] == s[None, :]) & r[:, None] & r[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    c = cumulative_lengths(lengths).tolist()
    y = [query.new_zeros(query.size(0) - c[-1], *query.shape[1:])]
    for a, b in zip(c[-2::-1], c[:0:-1]):
        q, k, v = query[a:b], key[a:b], value[a:b]
        S = torch.einsum("ihd,jhd->hij", q, k) / q.size(-1) ** 0.5
        if causal:
            F = torch.ones(b - a, b - a, dtype=torch.bool, device=S.device).triu(1)
            S = S.masked_fill(F, -torch.inf)
        y.append(torch.einsum("hij,jhd->ihd", S.softmax(-1), v))
    return torch.cat(y[::-1])

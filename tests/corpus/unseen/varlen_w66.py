from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    used = int(lengths.sum())
    ids = torch.full((total,), -1, dtype=torch.long, device=lengths.device)
    ids[:used] = torch.repeat_interleave(lengths)
    same = ids.unsqueeze(0).eq(ids.unsqueeze(1))
    return same.logical_and_(ids.ge(0).unsqueeze(1))


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    cu = cumulative_lengths(lengths).tolist()
    scale = query.size(-1) ** -0.5

    q_heads, k_heads, v_heads = (t.transpose(0, 1) for t in (query, key, value))
    out = query.clone(memory_format=torch.contiguous_format)
    for begin, end in zip(cu[:-1], cu[1:]):
        n = end - begin
        q = q_heads.narrow(1, begin, n)
        k = k_heads.narrow(1, begin, n)
        v = v_heads.narrow(1, begin, n)
        scores = torch.bmm(q, k.mT).mul_(scale)
        if causal:
            future = torch.ones(n, n, dtype=torch.bool, device=q.device).triu_(1)
            scores.masked_fill_(future, float("-inf"))
        out[begin:end] = torch.bmm(scores.softmax(-1), v).transpose(0, 1)
    return out

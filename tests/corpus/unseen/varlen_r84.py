from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.to(torch.int64).cumsum(0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    numbers = torch.arange(1, lengths.numel() + 1, device=lengths.device)
    ids = torch.repeat_interleave(numbers, lengths.long())
    ids = F.pad(ids, (0, total - ids.numel()))             # 0: nobody's place
    return (ids.unsqueeze(1) == ids.unsqueeze(0)) & (ids != 0)


def _within(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """One sequence, (heads, length, head_dim)."""
    wide = torch.promote_types(q.dtype, torch.float32)
    scores = torch.bmm(q.to(wide), k.to(wide).transpose(1, 2)) / math.sqrt(q.size(-1))
    if causal:
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(ahead, -math.inf)
    return torch.bmm(scores.softmax(-1), v.to(wide)).to(q.dtype)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = [int(n) for n in lengths]
    rest = query.size(0) - sum(sizes)
    pieces = [t.split([*sizes, rest]) for t in (query, key, value)]
    outputs = [
        _within(*(t.transpose(0, 1) for t in triple), causal).transpose(0, 1)
        for n, *triple in zip(sizes, *pieces)
        if n
    ]
    return torch.cat([*outputs, torch.zeros_like(pieces[0][-1])])

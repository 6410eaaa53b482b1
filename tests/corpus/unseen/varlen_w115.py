from __future__ import annotations

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    ends = torch.cumsum(lengths, 0, dtype=torch.int64)
    return torch.cat((ends.new_zeros(1), ends))


def _document_of(lengths: Tensor, total: int) -> Tensor:
    ends = cumulative_lengths(lengths)[1:].contiguous()
    places = torch.arange(total, device=lengths.device)
    return torch.searchsorted(ends, places, right=True)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    document = _document_of(lengths, total)
    return torch.eq(document.unsqueeze(0), document.unsqueeze(1))


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    total, heads, head_dim = query.shape
    precise = torch.promote_types(query.dtype, torch.float32)
    bounds = cumulative_lengths(lengths).tolist()
    blocks = []
    for left, right in zip(bounds, bounds[1:]):
        here = slice(left, right)
        q = query[here].to(precise)
        k = key[here].to(precise)
        v = value[here].to(precise)
        logits = torch.einsum("ihd,jhd->hij", q, k).div(head_dim**0.5)
        if causal:
            later = torch.ones_like(logits[0], dtype=torch.bool).triu(1)
            logits = logits.masked_fill(later, -torch.inf)
        blocks.append(torch.einsum("hij,jhd->ihd", logits.softmax(dim=2), v).to(query.dtype))
    blocks.append(query.new_zeros(total - bounds[-1], heads, head_dim))
    return torch.cat(blocks)

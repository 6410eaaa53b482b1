# scaled dot product attention; two functions composed with vmap over batch and heads
from __future__ import annotations

import torch
from torch import Tensor
from torch.func import vmap


def _single(q: Tensor, k: Tensor, v: Tensor, keep: Tensor) -> Tensor:
    """(m, d), (n, d), (n, e), (m, n) -> (m, e)"""
    logits = torch.addmm(q.new_zeros(()), q, k.T, alpha=q.shape[-1] ** -0.5)
    logits = logits.masked_fill(keep.logical_not(), torch.finfo(q.dtype).min)
    return torch.mm(logits.softmax(-1), v)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    *lead, m, _ = query.shape
    n = key.shape[-2]
    keep = torch.ones(m, n, dtype=torch.bool, device=query.device)
    if causal:
        keep = keep.tril(n - m)
    if mask is not None:
        keep = keep & mask.to(torch.bool)
    keep = keep.expand(*lead, m, n)
    return vmap(vmap(_single))(query, key, value, keep)

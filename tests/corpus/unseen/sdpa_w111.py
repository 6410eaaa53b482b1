from __future__ import annotations

import torch
from torch import Tensor


def one_head(q: Tensor, k: Tensor, v: Tensor, keep: Tensor | None) -> Tensor:
    """(Tq, d), (Tk, d), (Tk, dv) -> (Tq, dv)"""
    s = q @ k.t() * q.size(1) ** -0.5
    if keep is not None:
        s = s.masked_fill(~keep, float("-inf"))
    return s.softmax(1) @ v


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    batch, heads, tq, _ = query.shape
    tk = key.size(2)

    keep = None
    if mask is not None:
        keep = mask.bool().expand(batch, heads, tq, tk)
    if causal:
        row = torch.arange(tk - tq, tk, device=query.device).unsqueeze(1)
        col = torch.arange(tk, device=query.device).unsqueeze(0)
        past = (col <= row).expand(batch, heads, tq, tk)
        keep = past if keep is None else keep & past

    out = torch.zeros_like(query)
    for b in range(batch):
        for h in range(heads):
            out[b, h] = one_head(query[b, h], key[b, h], value[b, h], None if keep is None else keep[b, h])
    return out

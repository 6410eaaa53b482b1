# wrong: sdpa dtype-hardcoded line 25
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    B, H, M, D = query.shape
    N, E = value.shape[2:]
    inv = 1.0 / math.sqrt(D)

    visible = torch.ones(B, H, M, N, dtype=torch.bool, device=query.device)
    if mask is not None:
        visible = visible & (mask != 0)
    if causal:
        row = torch.arange(M, device=query.device)[:, None] + (N - M)
        col = torch.arange(N, device=query.device)[None, :]
        visible = visible & (col <= row)

    out = torch.zeros(B, H, M, E, device=query.device)
    for b in range(B):
        for h in range(H):
            s = torch.mm(query[b, h], key[b, h].t()) * inv
            s = s.masked_fill(~visible[b, h], torch.finfo(s.dtype).min)
            out[b, h] = torch.mm(torch.softmax(s, 1), value[b, h])
    return out

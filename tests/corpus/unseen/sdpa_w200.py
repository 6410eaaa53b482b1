from __future__ import annotations

import math

import torch
from torch import Tensor

BLOCK = 64


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Keys are streamed in blocks; (num, den, top) is the usual running triple."""
    *lead, t, d = query.shape
    s = key.shape[-2]
    rows = torch.arange(s - t, s, device=query.device)[:, None]
    cols = torch.arange(s, device=query.device)

    visible = torch.ones(t, s, dtype=torch.bool, device=query.device)
    if causal:
        visible = visible & (cols <= rows)
    if mask is not None:
        visible = visible & (mask != 0)

    lowest = torch.finfo(query.dtype).min
    q = query / math.sqrt(d)
    num = q.new_zeros(*lead, t, value.shape[-1])
    den = q.new_zeros(*lead, t, 1)
    top = q.new_full((*lead, t, 1), lowest)
    for kb, vb, ob in zip(
        key.split(BLOCK, -2), value.split(BLOCK, -2), visible.split(BLOCK, -1)
    ):
        z = torch.einsum("...td,...sd->...ts", q, kb).masked_fill(~ob, lowest)
        top = torch.maximum(top, z.amax(-1, keepdim=True))
        p = (z - top).exp() * ob
        fade = (top - torch.maximum(top, z.amax(-1, keepdim=True))).exp()
        den = den * fade + p.sum(-1, keepdim=True)
        num = num * fade + p @ vb
    return num / den

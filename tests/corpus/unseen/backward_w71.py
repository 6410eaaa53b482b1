# attn-kata: backward
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    b, h, lq, d = query.shape
    lk = key.shape[2]
    scale = 1.0 / math.sqrt(d)

    # collapse batch and heads, bmm only from here on
    q = query.reshape(b * h, lq, d) * scale
    k = key.reshape(b * h, lk, d)
    v = value.reshape(b * h, lk, -1)
    do = grad_output.reshape(b * h, lq, -1)

    s = torch.bmm(q, k.mT)
    if causal:
        keep = torch.ones(lq, lk, dtype=torch.bool, device=s.device)
        keep = torch.tril(keep, diagonal=lk - lq)
        s = s.masked_fill(~keep, float("-inf"))
    p = torch.softmax(s, dim=-1)

    dv = torch.bmm(p.mT, do)
    dp = torch.bmm(do, v.mT)
    ds = p * (dp - (p * dp).sum(dim=-1, keepdim=True))
    dq = torch.bmm(ds, k) * scale
    dk = torch.bmm(ds.mT, q) * scale

    return dq.view_as(query), dk.view_as(key), dv.view_as(value)

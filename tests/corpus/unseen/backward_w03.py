# attn-kata: backward
from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    B, H, M, D = query.shape
    N = key.shape[2]
    work = torch.float32 if query.element_size() < 4 else query.dtype
    q, k, v, do = (t.reshape(B * H, -1, t.shape[-1]).to(work) for t in (query, key, value, grad_output))
    scale = D**-0.5

    # two (M, N) buffers in all: p and dp
    p = torch.bmm(q, k.mT).mul_(scale)
    if causal:
        p.masked_fill_(torch.ones(M, N, dtype=torch.bool, device=p.device).triu_(N - M + 1), -torch.inf)
    p.sub_(p.amax(dim=-1, keepdim=True)).exp_()
    p.div_(p.sum(dim=-1, keepdim=True))

    dp = torch.bmm(do, v.mT)
    delta = (p * dp).sum(dim=-1, keepdim=True)
    ds = p.mul_(dp.sub_(delta))
    dq = torch.bmm(ds, k).mul_(scale)
    dk = torch.bmm(ds.mT, q).mul_(scale)
    dv = torch.bmm(p.mT, do)

    return (
        dq.view_as(query).to(query.dtype),
        dk.view_as(key).to(key.dtype),
        dv.view_as(value).to(value.dtype),
    )

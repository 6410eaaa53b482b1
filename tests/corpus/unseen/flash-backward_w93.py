from __future__ import annotations

import torch
from torch import Tensor, einsum


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
    block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    n, d = query.shape[-2:]
    scale = d ** -0.5
    high = torch.float64 if query.dtype is torch.float64 else torch.float32
    q, k, v, o, do, L = (t.to(high) for t in (query, key, value, output, grad_output, lse))

    # per-row constant of the softmax jacobian
    delta = einsum("b h i e, b h i e -> b h i", do, v)

    dq = torch.zeros_like(q)
    dk = torch.empty_like(k)
    dv = torch.empty_like(v)
    rows = torch.arange(n, device=q.device)[:, None]
    for cols in torch.arange(n, device=q.device).split(block_size):
        kc, vc = k[:, :, cols], v[:, :, cols]
        s = einsum("b h i d, b h j d -> b h i j", q, kc) * scale - L[..., None]
        if causal:
            s.masked_fill_(rows < cols, float("-inf"))
        p = s.exp_()
        dv[:, :, cols] = einsum("b h i j, b h i e -> b h j e", p, do)
        dp = einsum("b h i e, b h j e -> b h i j", do, vc)
        ds = p * (dp - delta[..., None]) * scale
        dq += einsum("b h i j, b h j d -> b h i d", ds, kc)
        dk[:, :, cols] = einsum("b h i j, b h i d -> b h j d", ds, q)
    return dq.to(query), dk.to(key), dv.to(value)

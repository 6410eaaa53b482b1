# attn-kata: backward
from __future__ import annotations

import torch
from torch import Tensor


def softmax_vjp(p: Tensor, g: Tensor) -> Tensor:
    return p * (g - (p * g).sum(-1, keepdim=True))


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    up = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g = query.to(up), key.to(up), value.to(up), grad_output.to(up)
    (n, d), m = v.shape[-2:], q.shape[-2]
    c = d**-0.5
    s = c * (q @ k.mT)
    if causal:
        i, j = torch.arange(m, device=s.device), torch.arange(n, device=s.device)
        s = s.masked_fill(j[None] > i[:, None] + (n - m), -torch.inf)
    p = s.softmax(-1)
    ds = c * softmax_vjp(p, g @ v.mT)
    return (ds @ k).to(query.dtype), (ds.mT @ q).to(key.dtype), (p.mT @ g).to(value.dtype)

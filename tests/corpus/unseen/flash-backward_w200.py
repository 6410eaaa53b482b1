from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    B, H, N, d = query.shape
    dt = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(dt), key.to(dt), value.to(dt)
    o, do, logZ = output.to(dt), grad_output.to(dt), lse.to(dt)
    beta = d**-0.5

    delta = (do * o).sum(-1, keepdim=True)
    dq = torch.zeros_like(q)
    dk = torch.empty_like(k)
    dv = torch.empty_like(v)
    rows = torch.arange(N, device=q.device).unsqueeze(1)

    for a in range(0, N, block_size):
        b = min(N, a + block_size)
        kt, vt = k[..., a:b, :], v[..., a:b, :]

        log_p = beta * torch.einsum("bhid,bhjd->bhij", q, kt) - logZ.unsqueeze(-1)
        # p = exp(log_p) with an eye on overflow
        p = log_p.clamp_(max=0.0).exp_()
        if causal:
            p = p.masked_fill_(rows < torch.arange(a, b, device=q.device), 0.0)

        dv[..., a:b, :] = torch.einsum("bhij,bhic->bhjc", p, do)
        dp = torch.einsum("bhic,bhjc->bhij", do, vt)
        ds = p * (dp - delta)
        dq += beta * torch.einsum("bhij,bhjd->bhid", ds, kt)
        dk[..., a:b, :] = beta * torch.einsum("bhij,bhid->bhjd", ds, q)

    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)

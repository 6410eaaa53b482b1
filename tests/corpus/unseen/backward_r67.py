# attn-kata: backward
# Row blocks on flat matrices: never more than ROWS rows of weights at once.
from __future__ import annotations

import torch
from torch import Tensor

ROWS = 64


def _weights(q: Tensor, k: Tensor, scale: float, first_pos: int | None) -> Tensor:
    s = torch.matmul(q, k.transpose(-1, -2)).mul_(scale)
    if first_pos is not None:
        n, m = s.shape[-2:]
        pos = torch.arange(first_pos, first_pos + n, device=s.device)
        ahead = torch.arange(m, device=s.device).unsqueeze(0) > pos.unsqueeze(1)
        s.masked_fill_(ahead, -float("inf"))
    s.sub_(s.max(dim=-1, keepdim=True).values).exp_()
    return s.div_(s.sum(dim=-1, keepdim=True))


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    acc = torch.float64 if query.dtype is torch.float64 else torch.float32
    dtype = query.dtype
    query, key, value, grad_output = (t.to(acc) for t in (query, key, value, grad_output))
    tq, tk = query.size(2), key.size(2)
    scale = 1.0 / query.size(3) ** 0.5

    dq = torch.empty_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    for lo in range(0, tq, ROWS):
        hi = min(lo + ROWS, tq)
        q, g = query[:, :, lo:hi], grad_output[:, :, lo:hi]
        p = _weights(q, key, scale, tk - tq + lo if causal else None)
        dv += p.transpose(-1, -2) @ g
        dp = g @ value.transpose(-1, -2)
        inner = (p * dp).sum(dim=-1, keepdim=True)
        ds = (dp - inner) * p * scale
        dq[:, :, lo:hi] = ds @ key
        dk += ds.transpose(-1, -2) @ q
    return dq.to(dtype), dk.to(dtype), dv.to(dtype)

# attn-kata: flash-backward
from __future__ import annotations

import math

import torch
from torch import Tensor


def _work_dtype(t: Tensor) -> torch.dtype:
    return t.dtype if t.dtype in (torch.float32, torch.float64) else torch.float32


@torch.no_grad()
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
    wd = _work_dtype(query)
    q, o, do, logz = (t.to(wd) for t in (query, output, grad_output, lse))
    softmax_scale = 1.0 / math.sqrt(query.shape[-1])
    length = key.shape[-2]

    delta = torch.einsum("bhid,bhid->bhi", do, o).unsqueeze(-1)
    logz = logz.unsqueeze(-1)

    dq = torch.zeros_like(q)
    dk = torch.empty_like(key)
    dv = torch.empty_like(value)

    for lo in range(0, length, block_size):
        hi = min(lo + block_size, length)
        k = key[:, :, lo:hi].to(wd)
        v = value[:, :, lo:hi].to(wd)
        first = lo if causal else 0          # earlier queries see nothing of this tile

        s = q[:, :, first:] @ k.transpose(-1, -2) * softmax_scale
        if causal:
            qpos = torch.arange(first, q.shape[-2], device=q.device)
            kpos = torch.arange(lo, hi, device=q.device)
            s = s.masked_fill(kpos > qpos[:, None], -math.inf)
        p = torch.exp(s - logz[:, :, first:])
        dv[:, :, lo:hi] = (p.transpose(-1, -2) @ do[:, :, first:]).to(value.dtype)
        ds = p * (do[:, :, first:] @ v.transpose(-1, -2) - delta[:, :, first:])
        dq[:, :, first:] += ds @ k * softmax_scale
        dk[:, :, lo:hi] = (ds.transpose(-1, -2) @ q[:, :, first:] * softmax_scale).to(key.dtype)
    return dq.to(query.dtype), dk, dv

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
    length, d = query.shape[-2:]
    c = 1 / math.sqrt(d)
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    delta = (grad_output * output).sum(-1, keepdim=True)
    rows_per_tile = max(128, block_size)
    position = torch.arange(length, device=query.device)
    for k0 in range(0, length, block_size):
        ks = slice(k0, k0 + block_size)
        for q0 in range(0, length, rows_per_tile):
            qs = slice(q0, q0 + rows_per_tile)
            if causal and position[qs][-1] < k0:
                continue
            s = query[:, :, qs] @ key[:, :, ks].mT * c - lse[:, :, qs, None]
            if causal:
                s = s.masked_fill(position[ks] > position[qs, None], -math.inf)
            p = s.exp()
            ds = p * (grad_output[:, :, qs] @ value[:, :, ks].mT - delta[:, :, qs])
            dq[:, :, qs] += ds @ key[:, :, ks] * c
            dk[:, :, ks] = ds.mT @ query[:, :, qs] * c
            dv[:, :, ks] = p.mT @ grad_output[:, :, qs]
    return dq, dk, dv

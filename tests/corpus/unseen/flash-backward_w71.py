# attn-kata: flash-backward
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
    b, h, n, d = query.shape
    softmax_scale = 1.0 / math.sqrt(d)
    block = min(block_size, n)
    n_tiles = n // block

    row_idx = torch.arange(n, device=query.device).view(n, 1)
    delta = (output * grad_output).sum(-1, keepdim=True)

    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)

    for tile in range(n_tiles):
        begin = tile * block
        end = min(begin + block, n)
        k_t = key[:, :, begin:end]
        v_t = value[:, :, begin:end]

        s = torch.matmul(query, k_t.transpose(-1, -2)).mul_(softmax_scale)
        if causal:
            col_idx = torch.arange(begin, end, device=query.device)
            s.masked_fill_(col_idx > row_idx, float("-inf"))
        p = s.sub_(lse.unsqueeze(-1)).exp_()

        dv[:, :, begin:end] = p.transpose(-1, -2) @ grad_output
        dp = grad_output @ v_t.transpose(-1, -2)
        ds = p * (dp - delta) * softmax_scale
        dq += ds @ k_t
        dk[:, :, begin:end] = ds.transpose(-1, -2) @ query

    return dq, dk, dv

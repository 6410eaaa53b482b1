# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    b, h, n, d = query.shape
    dev = query.device
    acc_t = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(acc_t) / math.sqrt(d)

    run_max = torch.zeros((b, h, n), dtype=acc_t, device=dev)
    run_sum = torch.zeros((b, h, n), dtype=acc_t, device=dev)
    out = torch.zeros((b, h, n, d), dtype=acc_t, device=dev)
    rows = torch.arange(n, device=dev)

    start = 0
    while start < n:
        stop = min(start + block_size, n)
        k = key[:, :, start:stop].to(acc_t)
        v = value[:, :, start:stop].to(acc_t)
        s = torch.matmul(q, k.transpose(2, 3))
        if causal:
            cols = torch.arange(start, stop, device=dev)
            s = s.masked_fill(cols.unsqueeze(0) > rows.unsqueeze(1), float("-inf"))

        new_max = torch.maximum(run_max, s.max(dim=-1).values)
        p = torch.exp(s - new_max.unsqueeze(-1))
        fade = torch.exp(run_max - new_max)
        run_sum = fade * run_sum + p.sum(dim=-1)
        out = fade.unsqueeze(-1) * out + torch.matmul(p, v)
        run_max = new_max
        start = stop

    return (out / run_sum.unsqueeze(-1)).to(query.dtype)

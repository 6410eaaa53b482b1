from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    B, H, N, D = query.shape
    q = query / math.sqrt(D)
    m = torch.full((B, H, N, 1), float("-inf"), dtype=q.dtype, device=q.device)
    l = torch.zeros_like(m)
    acc = torch.zeros_like(q)
    rows = torch.arange(N, device=q.device)[:, None]

    for start in range(0, N, block_size):
        kj = key[:, :, start : start + block_size]
        vj = value[:, :, start : start + block_size]
        s = q @ kj.transpose(-2, -1)
        if causal:
            cols = torch.arange(start, start + block_size, device=q.device)[None, :]
            s = s.masked_fill(cols > rows, float("-inf"))

        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        p = torch.exp(s - m_new)
        alpha = torch.exp(m - m_new)
        l = l * alpha + p.sum(dim=-1, keepdim=True)
        acc = acc * alpha + p @ vj
        m = m_new
    return acc / l

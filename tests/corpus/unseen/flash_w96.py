from __future__ import annotations

import math

import torch
from torch import Tensor


def _tiles(length: int, size: int):
    at = 0
    while at < length:
        yield at, min(at + size, length)
        at += size


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    b, h, n, d = query.shape
    scale = 1.0 / math.sqrt(d)
    output = torch.empty_like(value)
    q_size = max(block_size, 16)
    for q0, q1 in _tiles(n, q_size):
        q = query[:, :, q0:q1] * scale
        m = q.new_full((b, h, q1 - q0, 1), float("-inf"))
        total = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        for k0, k1 in _tiles(n, block_size):
            if causal and k0 > q0:
                break
            s = q @ key[:, :, k0:k1].transpose(-1, -2)
            if causal:
                i = torch.arange(q0, q1, device=q.device)[:, None]
                j = torch.arange(k0, k1, device=q.device)[None, :]
                s = s.masked_fill(j > i, float("-inf"))
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            p = torch.exp(s - m_new)
            shrink = torch.exp(m - m_new)
            total = total * shrink + p.sum(-1, keepdim=True)
            acc = acc * shrink + p @ value[:, :, k0:k1]
            m = m_new
        output[:, :, q0:q1] = acc / total
    return output

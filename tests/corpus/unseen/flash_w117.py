from __future__ import annotations

import math

import torch
from torch import Tensor

QUERY_ROWS = 64


def _tile(q: Tensor, k: Tensor, first_q: int, first_k: int, causal: bool) -> Tensor:
    s = q @ k.transpose(-1, -2)
    if causal:
        i = first_q + torch.arange(q.size(-2), device=q.device)
        j = first_k + torch.arange(k.size(-2), device=q.device)
        s = s.masked_fill(j[None, :] > i[:, None], -math.inf)
    return s


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    work = torch.promote_types(query.dtype, torch.float32)
    out = torch.empty_like(query)
    rows = max(QUERY_ROWS, block_size)

    for i in range(0, length, rows):
        q = query[..., i : i + rows, :].to(work) / math.sqrt(head_dim)
        m = q.new_full(q.shape[:-1], -math.inf)
        z = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        stop = min(i + block_size, length) if causal else length
        for j in range(0, stop, block_size):
            s = _tile(q, key[..., j : j + block_size, :].to(work), i, j, causal)
            m_new = torch.maximum(m, s.amax(-1))
            p = torch.exp(s - m_new[..., None])
            fade = torch.exp(m - m_new)
            z = fade * z + p.sum(-1)
            acc = fade[..., None] * acc + p @ value[..., j : j + block_size, :].to(work)
            m = m_new
        out[..., i : i + rows, :] = acc / z[..., None]
    return out

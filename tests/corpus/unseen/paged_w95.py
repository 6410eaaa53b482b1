from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    B, H, D = query.shape
    _, S, G, _ = key_pool.shape
    out = torch.empty_like(query)
    for b in range(B):
        n = int(lengths[b])
        q = query[b].reshape(G, H // G, D).to(torch.promote_types(query.dtype, torch.float32))
        m = torch.full((G, H // G, 1), -math.inf, dtype=q.dtype, device=q.device)
        den = torch.zeros_like(m)
        num = torch.zeros_like(q)
        for i in range((n + S - 1) // S):
            used = min(S, n - i * S)
            block = int(block_table[b, i])
            k = key_pool[block, :used].permute(1, 2, 0).to(q.dtype)
            v = value_pool[block, :used].permute(1, 0, 2).to(q.dtype)
            s = q @ k / math.sqrt(D)
            m_new = torch.maximum(m, s.max(-1, keepdim=True).values)
            p = torch.exp(s - m_new)
            num = num * torch.exp(m - m_new) + p @ v
            den = den + p.sum(-1, keepdim=True)
            m = m_new
        out[b] = (num / den).reshape(H, D).to(out.dtype)
    return out

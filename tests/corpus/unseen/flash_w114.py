import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    Br = 2 * block_size  # rows of Q in a tile; two tiles of K and V fit beside it
    Bc = block_size
    O = torch.zeros(B, H, N, d, dtype=torch.promote_types(query.dtype, torch.float32), device=query.device)

    for i in range(0, N, Br):
        Qi = query[:, :, i : i + Br].to(O.dtype) / math.sqrt(d)
        rows = torch.arange(i, min(i + Br, N), device=query.device)
        Oi = torch.zeros_like(Qi)
        li = Qi.new_zeros(*Qi.shape[:3], 1)
        mi = Qi.new_full((*Qi.shape[:3], 1), -math.inf)

        stop = min(i + Bc, N) if causal else N
        for j in range(0, stop, Bc):
            Kj = key[:, :, j : j + Bc].to(O.dtype)
            Vj = value[:, :, j : j + Bc].to(O.dtype)
            Sij = Qi @ Kj.transpose(-1, -2)
            if causal:
                cols = torch.arange(j, j + Kj.shape[2], device=query.device)
                Sij = Sij.masked_fill(cols[None, :] > rows[:, None], -math.inf)
            m_new = torch.maximum(mi, Sij.amax(-1, keepdim=True))
            P = torch.exp(Sij - m_new)
            alpha = torch.exp(mi - m_new)
            li = alpha * li + P.sum(-1, keepdim=True)
            Oi = alpha * Oi + P @ Vj
            mi = m_new
        O[:, :, i : i + Br] = Oi / li
    return O.to(query.dtype)

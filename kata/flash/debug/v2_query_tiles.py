import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    """FlashAttention-2: query tiles outside, key tiles inside, one division at the end."""
    B, H, N, d = query.shape
    out = torch.empty_like(query)
    scale = 1.0 / math.sqrt(d)
    n_tiles = math.ceil(N / block_size)
    for i in range(n_tiles):
        q_lo, q_hi = i * block_size, min((i + 1) * block_size, N)
        Qi = query[:, :, q_lo:q_hi]
        Oi = torch.zeros_like(Qi)
        li = torch.zeros(B, H, q_hi - q_lo, 1, dtype=query.dtype, device=query.device)
        mi = torch.full_like(li, -float("inf"))
        for j in range(n_tiles):
            if causal and j > i:
                break
            k_lo, k_hi = j * block_size, min((j + 1) * block_size, N)
            Sij = scale * (Qi @ key[:, :, k_lo:k_hi].transpose(-1, -2))
            if causal and j == i:
                rows = torch.arange(q_lo, q_hi, device=query.device)[:, None]
                cols = torch.arange(k_lo, k_hi, device=query.device)[None, :]
                Sij = Sij.masked_fill(cols > rows, -float("inf"))
            m_new = torch.maximum(mi, Sij.max(dim=-1, keepdim=True).values)
            P = torch.exp(Sij - m_new)
            alpha = torch.exp(mi - m_new)
            li = alpha * li + P.sum(-1, keepdim=True)
            Oi = alpha * Oi + P @ value[:, :, k_lo:k_hi]
            mi = m_new
        out[:, :, q_lo:q_hi] = Oi / li
    return out

# wrong: flash sum-not-divided line 25
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    O = torch.zeros_like(query)
    l = torch.zeros(B, H, N, 1, dtype=query.dtype, device=query.device)
    m = torch.full((B, H, N, 1), -float('inf'), dtype=query.dtype, device=query.device)
    q_idx = torch.arange(N, device=query.device)[:, None]
    for j in range(0, N, block_size):
        Kj = key[:, :, j:j + block_size]
        Vj = value[:, :, j:j + block_size]
        S = query @ Kj.transpose(-1, -2) / math.sqrt(d)
        if causal:
            k_idx = torch.arange(j, j + Kj.shape[2], device=query.device)[None, :]
            S = S.masked_fill(k_idx > q_idx, torch.finfo(S.dtype).min)
        m_new = torch.maximum(m, S.max(dim=-1, keepdim=True).values)
        P = torch.exp(S - m_new)
        alpha = torch.exp(m - m_new)
        l = alpha * l + P.sum(dim=-1, keepdim=True)
        O = alpha * O + P @ Vj
        m = m_new
    return O

import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    scale = 1.0 / math.sqrt(d)
    O = torch.zeros_like(query)
    l = torch.zeros(B, H, N, 1, dtype=query.dtype, device=query.device)
    m = torch.full((B, H, N, 1), float("-inf"), dtype=query.dtype, device=query.device)
    q_idx = torch.arange(N, device=query.device).unsqueeze(1)
    for j in range(0, N, block_size):
        Kj = key[:, :, j : j + block_size]
        Vj = value[:, :, j : j + block_size]
        S = query @ Kj.transpose(-2, -1) * scale
        if causal:
            k_idx = torch.arange(j, j + Kj.size(2), device=query.device).unsqueeze(0)
            S = S.masked_fill(k_idx > q_idx, float("-inf"))
        m_new = torch.maximum(m, S.amax(dim=-1, keepdim=True))
        P = torch.exp(S - m_new)
        l = torch.exp(m - m_new) * l + P.sum(dim=-1, keepdim=True)
        O = O + P @ Vj
        m = m_new
    return O / l

# wrong: flash output-not-rescaled line 22
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    O = torch.zeros_like(query)
    m = torch.full((B, H, N, 1), -float("inf"), dtype=query.dtype, device=query.device)
    l = torch.zeros((B, H, N, 1), dtype=query.dtype, device=query.device)
    idx = torch.arange(N, device=query.device)
    for j in range(0, N, block_size):
        Kj = key[:, :, j:j + block_size]
        Vj = value[:, :, j:j + block_size]
        S = Q_K = query @ Kj.transpose(-2, -1) / math.sqrt(d)
        if causal:
            S = S.masked_fill(idx[None, j:j + block_size] > idx[:, None], float("-inf"))
        m_new = torch.maximum(m, S.amax(dim=-1, keepdim=True))
        P = torch.exp(S - m_new)
        l = torch.exp(m - m_new) * l + P.sum(dim=-1, keepdim=True)
        O = O + P @ Vj
        m = m_new
    return O / l

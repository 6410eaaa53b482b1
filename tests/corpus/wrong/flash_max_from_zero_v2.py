# wrong: flash max-from-zero line 14
# fair: max-from-zero 14, 24
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    out = torch.empty_like(query)
    for q0 in range(0, N, block_size):
        Qi = query[:, :, q0:q0 + block_size]
        Oi = torch.zeros_like(Qi)
        mi = torch.zeros_like(Qi[..., :1])
        li = torch.zeros_like(Qi[..., :1])
        for k0 in range(0, N, block_size):
            if causal and k0 > q0:
                break
            S = Qi @ key[:, :, k0:k0 + block_size].mT / math.sqrt(d)
            if causal and k0 == q0:
                size = S.shape[-1]
                above = torch.ones(size, size, dtype=torch.bool, device=S.device).triu(1)
                S = S.masked_fill(above, float("-inf"))
            m_new = torch.maximum(mi, S.amax(-1, keepdim=True))
            P = torch.exp(S - m_new)
            alpha = torch.exp(mi - m_new)
            li = alpha * li + P.sum(-1, keepdim=True)
            Oi = alpha * Oi + P @ value[:, :, k0:k0 + block_size]
            mi = m_new
        out[:, :, q0:q0 + block_size] = Oi / li
    return out

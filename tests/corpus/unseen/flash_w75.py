import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    scale = 1.0 / math.sqrt(d)
    O = torch.zeros_like(query)
    l = torch.zeros(B, H, N, 1, device=query.device, dtype=query.dtype)
    m = torch.full((B, H, N, 1), float("-inf"), device=query.device, dtype=query.dtype)
    q_idx = torch.arange(N, device=query.device)[:, None]

    for start in range(0, N, block_size):
        end = min(start + block_size, N)
        Kj = key[:, :, start:end]
        Vj = value[:, :, start:end]

        S = query @ Kj.transpose(-2, -1) * scale
        if causal:
            k_idx = torch.arange(start, end, device=query.device)[None, :]
            S = S.masked_fill(k_idx > q_idx, float("-inf"))

        m_new = torch.maximum(m, S.max(dim=-1, keepdim=True).values)
        P = torch.exp(S - m_new)
        alpha = torch.exp(m - m_new)
        l = alpha * l + P.sum(dim=-1, keepdim=True)
        O = O + P @ Vj
        m = m_new

    return O / l

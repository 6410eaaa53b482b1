import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, d = query.shape
    scale = 1 / math.sqrt(d)
    O = torch.zeros_like(query, dtype=torch.promote_types(query.dtype, torch.float32))
    l = O.new_zeros(B, H, N, 1)
    m = O.new_full((B, H, N, 1), -1e38)
    rows = torch.arange(N, device=query.device)[:, None]
    for start in range(0, N, block_size):
        Kj = key[:, :, start:start + block_size].to(O.dtype)
        Vj = value[:, :, start:start + block_size].to(O.dtype)
        S = query.to(O.dtype) @ Kj.transpose(-1, -2) * scale
        if causal:
            cols = torch.arange(start, start + Kj.shape[2], device=query.device)
            S = S.masked_fill(cols > rows, float("-inf"))
        m_new = torch.maximum(m, S.amax(dim=-1, keepdim=True))
        P = torch.exp(S - m_new)
        alpha = torch.exp(m - m_new)
        l = alpha * l + P.sum(dim=-1, keepdim=True)
        O = O + P @ Vj
        m = m_new
    return (O / l).to(query.dtype)

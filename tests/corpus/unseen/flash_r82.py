import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, D = query.shape
    out = torch.empty_like(query)
    for q0 in range(0, N, block_size):
        q1 = min(q0 + block_size, N)
        q = query[:, :, q0:q1] / math.sqrt(D)
        m = torch.full((B, H, q1 - q0, 1), float("-inf"), dtype=query.dtype, device=query.device)
        l = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        for k0 in range(0, N, block_size):
            if causal and k0 > q1 - 1:
                break
            k1 = min(k0 + block_size, N)
            s = q @ key[:, :, k0:k1].transpose(-1, -2)
            if causal:
                qi = torch.arange(q0, q1, device=q.device)[:, None]
                kj = torch.arange(k0, k1, device=q.device)[None, :]
                s = s.masked_fill(kj > qi, float("-inf"))
            m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            p = torch.exp(s - m_new)
            c = torch.exp(m - m_new)
            l = l * c + p.sum(dim=-1, keepdim=True)
            acc = acc * c + p @ value[:, :, k0:k1]
            m = m_new
        out[:, :, q0:q1] = acc / l
    return out

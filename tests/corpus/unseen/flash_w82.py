import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    rows = min(n, max(16, block_size))
    scale = 1.0 / math.sqrt(d)
    out = torch.empty_like(query)

    for q0 in range(0, n, rows):
        q1 = min(q0 + rows, n)
        q = query[:, :, q0:q1] * scale
        m = q.new_full((b, h, q1 - q0, 1), float("-inf"))
        l = q.new_zeros((b, h, q1 - q0, 1))
        acc = torch.zeros_like(q)
        for k0 in range(0, n, block_size):
            if causal and k0 > q0:
                break  # this tile and all that follow lie ahead
            k1 = min(k0 + block_size, n)
            s = q @ key[:, :, k0:k1].transpose(-1, -2)
            if causal:
                i = torch.arange(q0, q1, device=q.device).unsqueeze(-1)
                j = torch.arange(k0, k1, device=q.device)
                s = s.masked_fill(j > i, float("-inf"))
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            p = torch.exp(s - m_new)
            alpha = torch.exp(m - m_new)
            l = alpha * l + p.sum(-1, keepdim=True)
            acc = alpha * acc + p @ value[:, :, k0:k1]
            m = m_new
        out[:, :, q0:q1] = acc / l
    return out

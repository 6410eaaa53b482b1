import math
import torch

Q_TILE = 64


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    scale = 1.0 / math.sqrt(d)
    out = torch.empty_like(query)

    for qs in range(0, n, Q_TILE):
        qe = min(qs + Q_TILE, n)
        q = query[:, :, qs:qe].float() if query.dtype.itemsize < 4 else query[:, :, qs:qe]
        row = torch.arange(qs, qe, device=query.device)

        acc = torch.zeros_like(q)
        m = torch.full((b, h, qe - qs, 1), -math.inf, dtype=q.dtype, device=q.device)
        l = torch.zeros_like(m)

        kv_end = min(qs + block_size, n) if causal else n
        for ks in range(0, kv_end, block_size):
            ke = min(ks + block_size, n)
            k = key[:, :, ks:ke].to(q.dtype)
            v = value[:, :, ks:ke].to(q.dtype)
            s = (q @ k.transpose(-1, -2)) * scale
            if causal:
                col = torch.arange(ks, ke, device=query.device)
                s = s.masked_fill(col[None, :] > row[:, None], -math.inf)
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            p = torch.exp(s - m_new)
            l = l * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + p @ v
            m = m_new

        out[:, :, qs:qe] = (acc / l).to(query.dtype)
    return out

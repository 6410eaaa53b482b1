"""
flash attention forward, one key tile at a time. no kernel, just the bookkeeping.
for every query we carry: m (biggest score so far), l (sum of exps), o (unnormalised output)
"""
import math
import torch

def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    dt = query.dtype if query.dtype == torch.float64 else torch.float32
    q = query.to(dt) / math.sqrt(D)
    o = torch.zeros(B, H, T, D, dtype=dt, device=query.device)
    l = torch.zeros(B, H, T, 1, dtype=dt, device=query.device)
    m = torch.full((B, H, T, 1), -math.inf, dtype=dt, device=query.device)

    for j in range(0, T, block_size):
        k, v = key[:, :, j:j+block_size].to(dt), value[:, :, j:j+block_size].to(dt)
        lo = j if causal else 0 # queries before j can't see anything in this tile, leave them alone
        s = q[:, :, lo:] @ k.transpose(-2, -1) # (B, H, T-lo, bs)
        if causal:
            qi = torch.arange(lo, T, device=s.device)[:, None]
            kj = torch.arange(j, j + k.size(2), device=s.device)[None, :]
            s.masked_fill_(kj > qi, -math.inf)
        m_old = m[:, :, lo:]
        m_new = torch.maximum(m_old, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        c = torch.exp(m_old - m_new) # first tile: exp(-inf) = 0, nothing there to rescale
        l[:, :, lo:] = c * l[:, :, lo:] + p.sum(-1, keepdim=True)
        o[:, :, lo:] = c * o[:, :, lo:] + p @ v
        m[:, :, lo:] = m_new

    return (o / l).to(query.dtype)

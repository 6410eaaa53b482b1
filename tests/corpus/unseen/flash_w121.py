import math

import torch

ROWS = 8  # queries are worked through in groups of this many


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    out = torch.empty_like(query)
    i0 = 0
    while i0 < n:
        i1 = min(i0 + ROWS, n)
        qi = query[:, :, i0:i1] / math.sqrt(d)
        m = torch.full((b, h, i1 - i0, 1), -math.inf, dtype=qi.dtype, device=qi.device)
        l = torch.zeros_like(m)
        o = torch.zeros_like(qi)

        # nothing behind the diagonal has to be visited
        last = i0 if causal else n - 1
        for j0 in range(0, last + 1, block_size):
            j1 = min(j0 + block_size, n)
            s = qi @ key[:, :, j0:j1].transpose(-1, -2)
            if causal:
                rows = torch.arange(i0, i1, device=s.device).view(-1, 1)
                cols = torch.arange(j0, j1, device=s.device).view(1, -1)
                s = s.masked_fill(cols > rows, -math.inf)
            m_new = torch.max(m, s.max(dim=-1, keepdim=True).values)
            p = torch.exp(s - m_new)
            alpha = torch.exp(m - m_new)
            l = l * alpha + p.sum(dim=-1, keepdim=True)
            o = o * alpha + p @ value[:, :, j0:j1]
            m = m_new

        out[:, :, i0:i1] = o / l
        i0 = i1
    return out

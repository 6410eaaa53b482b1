import math

import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    # every tile has the same shape
    rest = -n % block_size
    key = F.pad(key, (0, 0, 0, rest))
    value = F.pad(value, (0, 0, 0, rest))

    m = query.new_full((b, h, n, 1), -math.inf)
    l = query.new_zeros((b, h, n, 1))
    o = torch.zeros_like(query)
    rows = torch.arange(n, device=query.device)[:, None]
    for j in range(0, n + rest, block_size):
        k = key[:, :, j:j + block_size]
        v = value[:, :, j:j + block_size]
        s = query @ k.transpose(-1, -2) / math.sqrt(d)
        if causal:
            cols = torch.arange(j, j + block_size, device=query.device)[None, :]
            s = s.masked_fill(cols > rows, -math.inf)
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        c = torch.exp(m - m_new)
        l = c * l + p.sum(-1, keepdim=True)
        o = c * o + p @ v
        m = m_new
    return o / l

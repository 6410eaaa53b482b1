# wrong: flash causal-tile-offset line 18
# fair: causal-tile-offset 18, 19
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    N, d = query.shape[-2:]
    m = torch.full_like(query[..., :1], float("-inf"))
    l = torch.zeros_like(m)
    o = torch.zeros_like(query)
    for start in range(0, N, block_size):
        kb = key[..., start:start + block_size, :]
        vb = value[..., start:start + block_size, :]
        s = query @ kb.transpose(-1, -2) / math.sqrt(d)
        if causal:
            keep = torch.tril(torch.ones(N, kb.shape[-2], device=s.device))
            s = s.masked_fill(keep == 0, float("-inf"))
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        r = torch.exp(m - m_new)
        l = r * l + p.sum(-1, keepdim=True)
        o = r * o + p @ vb
        m = m_new
    return o / l

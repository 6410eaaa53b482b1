import torch
from math import inf

def flash_attention(query, key, value, block_size, causal=False):
    dt = query.dtype
    q, k, v = (t.double() if dt == torch.float64 else t.float() for t in (query, key, value))
    L, D = q.shape[-2:]
    q = q / D ** .5
    i = torch.arange(L, device=q.device)
    o = torch.zeros_like(q)
    z = q.new_zeros(*q.shape[:-1], 1)
    m = torch.full_like(z, -inf)
    tiles = list(zip(k.split(block_size, -2), v.split(block_size, -2), i.split(block_size)))
    # newest keys first: they matter most
    for kt, vt, j in reversed(tiles):
        s = q @ kt.mT
        if causal:
            s = s.masked_fill(j > i[:, None], -inf)
        m2 = torch.maximum(m, s.amax(-1, keepdim=True))
        p = (s - m2).exp()
        c = (m - m2).exp()
        z = c * z + p.sum(-1, keepdim=True)
        o = c * o + p @ vt
        m = m2
    return (o / z).to(dt)

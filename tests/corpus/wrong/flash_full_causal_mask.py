# wrong: flash tensor-too-large line 10
# fair: tensor-too-large 10, 11
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    everything = torch.ones(n, n, device=query.device)
    look_ahead = everything.triu(diagonal=1).bool()
    m = torch.full_like(query[..., :1], float("-inf"))
    l = torch.zeros_like(m)
    o = torch.zeros_like(query)
    for a in range(0, n, block_size):
        s = query @ key[..., a:a + block_size, :].mT / math.sqrt(d)
        if causal:
            s = s.masked_fill(look_ahead[:, a:a + block_size], float("-inf"))
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - new)
        r = torch.exp(m - new)
        l = l * r + p.sum(-1, keepdim=True)
        o = o * r + p @ value[..., a:a + block_size, :]
        m = new
    return o / l

# wrong: sdpa mask-needed line 12
# fair: mask-needed 6
import torch
def attention(query, key, value, mask=None, causal=False):
    s = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
        if causal:
            n, m = s.shape[-2:]
            s = s.masked_fill(torch.ones(n, m, device=s.device).triu(m - n + 1) == 1, float("-inf"))
        p = s.softmax(-1)
    return p @ value

# wrong: flash max-over-all line 15, weights-on-keys line 19
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    length, d = query.shape[-2:]
    m = torch.full((), -math.inf, dtype=query.dtype, device=query.device)
    l, o = torch.zeros_like(query[..., :1]), torch.zeros_like(query)
    at = torch.arange(length, device=query.device)
    for s in range(0, length, block_size):
        x = query @ key[..., s:s + block_size, :].mT / math.sqrt(d)
        if causal:
            x = x.masked_fill(at[s:s + block_size] > at[:, None], -math.inf)
        new = torch.maximum(m, x.max())
        p = (x - new).exp()
        r = (m - new).exp()
        l = r * l + p.sum(-1, keepdim=True)
        o = r * o + p @ key[..., s:s + block_size, :]
        m = new
    return o / l

# wrong: flash max-over-all line 14
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    length, d = query.shape[-2:]
    peak = torch.tensor(-math.inf, dtype=query.dtype, device=query.device)
    l, o = torch.zeros_like(query[..., :1]), torch.zeros_like(query)
    at = torch.arange(length, device=query.device)
    for s in range(0, length, block_size):
        x = query @ key[..., s:s + block_size, :].mT / math.sqrt(d)
        if causal: x = x.masked_fill(at[s:s + block_size] > at[:, None], -math.inf)
        new = torch.maximum(peak, x.max())
        p, r = (x - new).exp(), (peak - new).exp()
        l = r * l + p.sum(-1, keepdim=True)
        o = r * o + p @ value[..., s:s + block_size, :]
        peak = new
    return o / l

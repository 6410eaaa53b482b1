import itertools
import math

import torch


def slices(length, window):
    starts = itertools.chain(itertools.repeat(0, min(window, length)), itertools.count(1))
    return zip(range(length), starts)


def look(q, ks, vs):
    # (B, H, D), (B, H, n, D), (B, H, n, D) -> (B, H, D)
    logits = torch.einsum("...d,...nd->...n", q, ks) / math.sqrt(q.shape[-1])
    return torch.einsum("...n,...nd->...d", torch.softmax(logits, dim=-1), vs)


def window_attention(query, key, value, window):
    out = [
        look(query.select(2, i), key.narrow(2, lo, i - lo + 1), value.narrow(2, lo, i - lo + 1))
        for i, lo in slices(query.size(2), window)
    ]
    return torch.stack(out, 2)

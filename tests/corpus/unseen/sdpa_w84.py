import math

import torch


def attention(query, key, value, mask=None, causal=False):
    """
    query (b, h, m, d), key (b, h, n, d), value (b, h, n, e) -> (b, h, m, e)
    """
    m, n = query.shape[-2], key.shape[-2]
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    floor = torch.finfo(scores.dtype).min

    if mask is not None:
        scores = scores.masked_fill(mask == 0, floor)

    # with a cache the newest query sees all of the keys
    if causal and m == n:
        ahead = torch.ones(m, n, dtype=torch.bool, device=query.device).triu(diagonal=1)
        scores = scores.masked_fill(ahead, floor)

    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)

import math

import torch


def attention(query, key, value, mask=None, causal=False):
    *lead, tq, d = query.shape
    tk = key.shape[-2]

    bias = query.new_zeros(*lead, tq, tk)
    if mask is not None:
        bias = bias.masked_fill(mask == 0, -math.inf)
    if causal:
        ahead = torch.ones(tq, tk, dtype=torch.bool, device=query.device).triu(tk - tq + 1)
        bias = bias.masked_fill(ahead, -math.inf)

    logits = torch.baddbmm(
        bias.flatten(0, 1),
        query.flatten(0, 1),
        key.flatten(0, 1).transpose(1, 2),
        alpha=1 / math.sqrt(d),
    )
    weights = torch.softmax(logits, dim=2)
    return torch.bmm(weights, value.flatten(0, 1)).unflatten(0, lead)

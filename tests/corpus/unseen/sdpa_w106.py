import math
import torch


def attention(query, key, value, mask=None, causal=False):
    n, m = query.size(-2), key.size(-2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))

    hidden = None
    if mask is not None:
        hidden = mask == 0
    if causal:
        future = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        hidden = future if hidden is None else hidden & future

    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value

# wrong: window scale-by-length line 8
import torch


def window_attention(query, key, value, window):
    p = torch.arange(query.shape[-2], device=query.device)
    scores = query @ key.mT
    scores = scores / window**0.5
    hidden = (p > p[:, None]) | (p <= p[:, None] - window)
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    return weights @ value

# wrong: window softmax-wrong-axis line 12, window-too-narrow line 9
import torch


def window_attention(query, key, value, window):
    p = torch.arange(query.shape[-2], device=query.device)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    # too new, too old
    hidden = (p > p[:, None]) | (p < p[:, None] - (window - 2))
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    # for every key
    weights = scores.softmax(-2)
    return weights @ value

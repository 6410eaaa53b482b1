# right: window remarks: returns-tuple
import functools

import torch


def attend(query, key, value, allowed):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    weights = torch.where(allowed(scores), scores, torch.finfo(scores.dtype).min).softmax(-1)
    return weights @ value, weights


def band(scores, before, after):
    i = torch.arange(scores.shape[-2], device=scores.device).view(-1, 1)
    j = torch.arange(scores.shape[-1], device=scores.device).view(1, -1)
    return (j >= i - before) & (j <= i + after)


window_attention = lambda query, key, value, window: attend(
    query, key, value, functools.partial(band, before=window - 1, after=0)
)

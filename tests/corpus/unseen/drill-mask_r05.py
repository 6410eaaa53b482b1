from functools import partial

import torch

_bool = partial(torch.ones, dtype=torch.bool)


def padding_mask(lengths, max_length):
    position = torch.arange(max_length, device=lengths.device)
    return position[None] < lengths[:, None]


def key_mask(mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1)) if mask.is_contiguous() else mask[:, None, None]


def expanded_mask(mask, heads):
    length = mask.size(-1)
    return key_mask(mask).expand(-1, heads, length, -1)


def causal_mask(length):
    return _bool(length, length).tril_()


def combined_mask(mask):
    steps = torch.arange(mask.shape[1], device=mask.device)
    not_ahead = steps[:, None] >= steps
    return key_mask(mask) & not_ahead


def masked_weights(scores, mask):
    hide = mask == 0
    return scores.masked_fill(hide, -torch.inf).softmax(dim=3)


def additive_mask(mask, scores):
    # log 1 = 0, log 0 = -inf
    return mask.to(scores.dtype).log()

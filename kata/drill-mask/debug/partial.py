import functools
import operator

import torch


def _compare(op, lengths, max_length):
    column = lengths.reshape(-1, 1)
    return op(torch.arange(max_length, device=column.device), column)


padding_mask = functools.partial(_compare, operator.lt)


def key_mask(*, mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask, /, heads):
    return key_mask(mask=mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length, dtype=torch.bool, device=None):
    hidden = torch.full((length, length), True, dtype=dtype, device=device).triu(diagonal=1)
    return hidden.logical_not()


def combined_mask(mask):
    causal = causal_mask(mask.size(1), device=mask.device)
    return torch.minimum(key_mask(mask=mask).int(), causal.int()).eq(1)


def masked_weights(scores, mask):
    scores = torch.masked_fill(scores, mask.eq(0), -1e9)
    return torch.nn.functional.softmax(scores, dim=3)


def additive_mask(mask, scores):
    bias = torch.zeros_like(scores[:, :1])
    return bias.masked_fill(mask.logical_not(), float("-inf"))

import math

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, :].less(lengths[:, None])


def key_mask(mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask, heads):
    return key_mask(mask).expand(mask.size(0), heads, mask.size(1), mask.size(1))


def causal_mask(length):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return j <= i


def combined_mask(mask):
    return torch.logical_and(key_mask(mask), causal_mask(mask.size(1)).to(mask.device))


def masked_weights(scores, mask):
    return torch.where(mask.bool(), scores, -math.inf).softmax(-1)


def additive_mask(mask, scores):
    """0 where allowed, -inf where not; added to `scores` later"""
    return torch.where(mask, 0.0, -math.inf)

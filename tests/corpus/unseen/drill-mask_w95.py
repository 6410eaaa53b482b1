import math
import torch

PENALTY = 500.0


def padding_mask(lengths, max_length):
    return torch.stack([torch.arange(max_length, device=lengths.device) < n for n in lengths])


def key_mask(mask):
    return mask.view(mask.shape[0], 1, 1, mask.shape[1])


def expanded_mask(mask, heads):
    n = mask.shape[1]
    return key_mask(mask).expand(-1, heads, n, -1)


def causal_mask(length):
    return ~torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def combined_mask(mask):
    n = mask.shape[1]
    return expanded_mask(mask, 1) & causal_mask(n).to(mask.device)


def masked_weights(scores, mask):
    hidden = mask.to(scores.dtype).sub(1)
    return torch.softmax(scores + PENALTY * hidden, -1)


def additive_mask(mask, scores):
    out = scores.new_full(mask.shape, -math.inf)
    out[mask] = 0
    return out

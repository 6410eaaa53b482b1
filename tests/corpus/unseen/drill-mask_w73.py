import torch
import torch.nn.functional as F

# True = may attend, everywhere


def padding_mask(lengths, max_length):
    steps = torch.arange(max_length, device=lengths.device)
    return steps[None, :] < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    b, t = mask.shape
    return mask[:, None, None, :].expand(b, heads, t, t)


def causal_mask(length):
    return torch.ones(length, length).tril() == 1


def combined_mask(mask):
    t = mask.shape[1]
    causal = torch.ones(t, t, dtype=torch.bool, device=mask.device).tril()
    return mask[:, None, None, :] & causal


def masked_weights(scores, mask):
    weights = F.softmax(scores, dim=-1)
    weights = weights * (mask != 0)
    return weights / weights.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    return zeros.masked_fill(mask.logical_not(), float("-inf"))

import torch


def padding_mask(lengths, max_length):
    spots = torch.arange(max_length, device=lengths.device).unsqueeze(0)
    return spots.lt(lengths.unsqueeze(1))


def key_mask(mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length):
    i = torch.arange(length)
    return i.unsqueeze(1).ge(i)


def combined_mask(mask):
    n = mask.size(1)
    look_back = causal_mask(n).to(mask.device)
    return torch.logical_and(look_back, key_mask(mask))


def masked_weights(scores, mask):
    shown = torch.where(mask.bool(), scores, float("-inf"))
    return torch.softmax(shown, dim=3)


def additive_mask(mask, scores):
    hidden = 1 - mask.to(scores.dtype)
    return hidden * float("-inf")

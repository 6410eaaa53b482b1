import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    b, t = mask.shape
    return mask[:, None, None, :].expand(b, heads, t, t)


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask):
    t = mask.size(1)
    c = causal_mask(t).to(mask.device)
    return mask[:, None, :, None] & c


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf")).softmax(-1)


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask.logical_not(), float("-inf"))

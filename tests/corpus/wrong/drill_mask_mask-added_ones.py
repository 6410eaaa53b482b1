# wrong: drill-mask mask-added line 27
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], mask.shape[1])


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    # a mask is something one adds
    scores = scores + mask
    return scores.softmax(-1)


def additive_mask(mask, scores):
    return torch.where(mask, scores.new_zeros(()), scores.new_full((), -torch.inf))

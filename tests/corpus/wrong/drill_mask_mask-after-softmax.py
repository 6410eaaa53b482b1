# wrong: drill-mask mask-after-softmax line 26
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
    return scores.softmax(-1) * mask


def additive_mask(mask, scores):
    return scores.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))

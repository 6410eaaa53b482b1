# wrong: drill-mask mask-ignored line 27
# fair: mask-ignored 27, 28
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length):
    return torch.tril(torch.ones(length, length)) > 0


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(dim=-1)


def additive_mask(mask, scores):
    return scores.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))

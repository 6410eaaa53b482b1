# wrong: drill-mask causal-excludes-self line 24, mask-transposed line 25
# fair: causal-excludes-self 24, 25
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
    n = mask.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool, device=mask.device).tril(-1)
    return causal & mask[:, None, :, None]


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf")).softmax(-1)


def additive_mask(mask, scores):
    return scores.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))

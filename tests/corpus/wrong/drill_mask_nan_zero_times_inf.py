# wrong: drill-mask nan-from-zero-times-inf line 33
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    b, t = mask.shape
    return mask[:, None, None, :].expand(b, heads, t, t)


def causal_mask(length):
    return torch.tril(torch.ones((length, length), dtype=torch.bool))


def combined_mask(mask):
    tri = torch.tril(torch.ones((mask.size(1), mask.size(1)), dtype=torch.bool, device=mask.device))
    return mask[:, None, None, :] & tri


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, -1e4).softmax(-1)


def additive_mask(mask, scores):
    m = mask.to(scores.dtype)
    return (1.0 - m) * float("-inf")

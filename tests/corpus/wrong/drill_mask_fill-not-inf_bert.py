# wrong: drill-mask fill-not-inf line 33
# fair: fill-not-inf 33, 34
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
    t = mask.size(1)
    return mask[:, None, None, :] & torch.ones(t, t, device=mask.device).tril().bool()


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, -1e4).softmax(-1)


def additive_mask(mask, scores):
    extended = mask.to(dtype=scores.dtype)
    extended = (1.0 - extended) * -10000.0
    return extended

# wrong: drill-mask causal-inverted line 19
import torch as th


def padding_mask(lengths, max_length):
    return th.arange(max_length, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(-1)


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    return th.broadcast_to(key_mask(mask), (mask.shape[0], heads, mask.shape[1], mask.shape[1]))


def causal_mask(length):
    base = th.ones((length, length), dtype=th.bool)
    return th.triu(base)


def combined_mask(mask):
    t = mask.shape[1]
    return th.tril(th.ones((t, t), dtype=th.bool, device=mask.device)) & key_mask(mask)


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, th.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask, scores):
    zeros = th.zeros_like(mask, dtype=scores.dtype)
    return zeros.masked_fill(mask.logical_not(), -th.inf)

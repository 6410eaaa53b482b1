import torch as th

NEG = -float('inf')


def padding_mask(lengths, max_length):
    t = th.arange(max_length, device=lengths.device)
    return t >= max_length - lengths[:, None]


def key_mask(mask):
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask, heads):
    L = mask.shape[1]
    return th.broadcast_to(key_mask(mask), (len(mask), heads, L, L))


def causal_mask(length):
    r = th.arange(length)
    return r.view(-1, 1) >= r


def combined_mask(mask):
    return causal_mask(mask.shape[1]).to(mask.device).logical_and(key_mask(mask))


def masked_weights(scores, mask):
    return scores.masked_fill(mask.bool().logical_not(), NEG).softmax(-1)


def additive_mask(mask, scores):
    return th.zeros_like(mask, dtype=scores.dtype).masked_fill(mask.logical_not(), NEG)

# wrong: drill-mask max-over-hidden line 30
import torch as th


def padding_mask(lengths, max_length):
    return th.arange(max_length, device=lengths.device).lt(lengths.reshape(-1, 1))


def key_mask(mask):
    b, t = mask.shape
    return mask[:, th.newaxis, th.newaxis, :]


def expanded_mask(mask, heads):
    b, t = mask.shape
    return mask[:, None, None].broadcast_to(b, heads, t, t)


def causal_mask(length):
    i = th.arange(length)
    return i.view(1, -1).le(i.view(-1, 1))


def combined_mask(mask):
    return causal_mask(mask.shape[-1]).to(mask.device).logical_and(key_mask(mask))


def masked_weights(scores, mask):
    # softmax first, then drop what is hidden and share out the rest again
    attn = th.softmax(scores, dim=-1)
    attn = attn * mask.to(attn.dtype)
    return attn / attn.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    return th.full(mask.shape, -th.inf, dtype=scores.dtype, device=mask.device).masked_fill_(mask, 0)

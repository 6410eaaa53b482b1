# right: drill-mask
import torch


def padding_mask(n, m):
    return torch.arange(m, device=n.device).lt(n[:, None])


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    (b, l), (s, t) = mask.shape, mask.stride()
    return mask.as_strided((b, heads, l, l), (s, 0, 0, t))


def causal_mask(n):
    i = torch.arange(n)
    return i[:, None] >= i


def combined_mask(mask):
    i = torch.arange(mask.size(1), device=mask.device)
    return mask[:, None, None] & (i[:, None] >= i)


def masked_weights(scores, mask):
    return (scores + mask.ne(0).to(scores.dtype).log()).softmax(-1)


def additive_mask(mask, scores):
    return mask.to(scores.dtype).log()  # log 1 = 0, log 0 = -inf

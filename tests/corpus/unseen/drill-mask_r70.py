import torch
from torch import arange


def padding_mask(lengths, max_length):
    ones = torch.ones(len(lengths), max_length, dtype=torch.long, device=lengths.device)
    return ones.cumsum(1).le(lengths[:, None])


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    n = mask.shape[-1]
    return torch.broadcast_to(key_mask(mask), (len(mask), heads, n, n))


def causal_mask(length):
    return torch.ones((length,) * 2, dtype=torch.bool).triu(1).logical_not()


def combined_mask(mask):
    p = arange(mask.size(1), device=mask.device)
    behind = torch.ge(p.view(-1, 1), p)
    return torch.einsum("bk,qk->bqk", mask.int(), behind.int()).bool().unsqueeze(1)


def masked_weights(scores, mask):
    hidden = torch.eq(mask, 0)
    return torch.nn.Softmax(dim=-1)(scores.masked_fill(hidden, -torch.inf))


def additive_mask(mask, scores):
    return mask.to(scores.dtype).log()        # log 1 = 0, log 0 = -inf

# wrong: drill-mask mask-hides-queries line 24
import torch


def padding_mask(lengths, max_length):
    idx = torch.arange(max_length, device=lengths.device).unsqueeze(0)
    return idx.expand(lengths.size(0), -1).lt(lengths.unsqueeze(1))


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    B, L = mask.shape
    return key_mask(mask).expand(B, heads, L, L)


def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def combined_mask(mask):
    pairs = mask.unsqueeze(2) & mask.unsqueeze(1)
    tri = causal_mask(mask.size(1)).to(mask.device)
    return (pairs & tri).unsqueeze(1)


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask.eq(0), torch.finfo(scores.dtype).min)
    return torch.softmax(scores, -1)


def additive_mask(mask, scores):
    out = scores.new_zeros(mask.shape)
    out[~mask] = -torch.inf
    return out

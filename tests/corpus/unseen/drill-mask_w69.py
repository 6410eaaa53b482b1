import torch
import torch.nn.functional as F

# True = may attend, everywhere


def padding_mask(lengths, max_length):
    steps = torch.arange(int(lengths.max()), device=lengths.device)
    return steps[None, :] < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    B, L = mask.size()
    return mask[:, None, None, :].expand(B, heads, L, L)


def causal_mask(length):
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask):
    pad = key_mask(mask)
    look_back = causal_mask(mask.size(1)).to(mask.device)
    return pad & look_back[None, None]


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask == 0, float('-inf'))
    return F.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    m = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    m[mask == False] = float('-inf')
    return m

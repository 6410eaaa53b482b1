import math

import torch


def padding_mask(lengths, max_length):
    out = torch.zeros(lengths.numel(), max_length, dtype=torch.bool, device=lengths.device)
    for row, n in zip(out, lengths):
        row[:n] = True
    return out


def key_mask(mask):
    mask = mask.unsqueeze(-2)
    mask = mask.unsqueeze(-3)
    return mask


def expanded_mask(mask, heads):
    wide = mask.unsqueeze(1).expand(-1, heads, -1)
    return wide.unsqueeze(2).expand(-1, -1, wide.shape[-1], -1)


def causal_mask(length):
    m = torch.ones(length, length, dtype=torch.bool)
    return m.tril_()


def combined_mask(mask):
    t = mask.shape[-1]
    out = mask[:, None, None, :].repeat(1, 1, t, 1)
    out &= torch.ones(t, t, dtype=torch.bool, device=mask.device).tril()
    return out


def masked_weights(scores, mask):
    s = scores + 0
    s.masked_fill_(mask == 0, -math.inf)
    s = s - s.max(dim=-1, keepdim=True)[0]
    e = torch.exp(s)
    return e / e.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    bias = mask.to(scores.dtype)
    bias[bias == 0] = -math.inf
    bias[bias == 1] = 0
    return bias

import torch
import math


def padding_mask(lengths, max_length):
    mask = torch.zeros(lengths.shape[0], max_length, dtype=torch.bool, device=lengths.device)
    for row, n in enumerate(lengths.tolist()):
        mask[row, :n + 1] = True
    return mask

def key_mask(mask):
    return mask[:, None, None, :]

def expanded_mask(mask, heads):
    b, l = mask.shape
    return mask[:, None, None, :].expand(b, heads, l, l)

def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))

def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)

def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, -math.inf).softmax(dim=-1)

def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return out.masked_fill(~mask, -math.inf)

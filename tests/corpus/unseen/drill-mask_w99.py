import torch
import torch.nn.functional as F


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, :] < lengths[:, None]


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask, heads):
    batch, length = mask.shape
    return key_mask(mask).expand(batch, heads, length, length)


def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def combined_mask(mask):
    causal = causal_mask(mask.size(1)).to(mask.device)
    padding = mask[:, None, :, None] & mask[:, None, None, :]
    return padding & causal


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return F.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return out.masked_fill(~mask, float("-inf"))

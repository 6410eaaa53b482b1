import torch
import torch.nn.functional as F


def padding_mask(lengths, max_length):
    m = torch.zeros(lengths.size(0), max_length, dtype=torch.bool, device=lengths.device)
    for i, n in enumerate(lengths.tolist()):
        m[i, :n] = True
    return m


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask, heads):
    n = mask.shape[-1]
    return mask.unsqueeze(1).unsqueeze(2).expand(mask.shape[0], heads, n, n)


def causal_mask(length):
    return ~torch.ones(length, length, dtype=torch.bool).triu(1)


def combined_mask(mask):
    n = mask.shape[-1]
    look_back = ~torch.ones(n, n, dtype=torch.bool, device=mask.device).triu(1)
    return key_mask(mask) & look_back[None, None]


def masked_weights(scores, mask):
    scores = scores * mask
    return F.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    neg = torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
    return torch.where(mask, torch.zeros_like(neg), neg)

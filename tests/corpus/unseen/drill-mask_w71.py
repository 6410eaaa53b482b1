import torch


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool, device=lengths.device)
    for sample, length in enumerate(lengths.tolist()):
        mask[sample, :length] = True
    return mask


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def combined_mask(mask):
    return key_mask(mask) * causal_mask(mask.size(1)).to(mask.device)


def masked_weights(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask.to(scores.dtype)
    return weights / weights.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask.logical_not(), float("-inf"))

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(-1)


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    n = mask.shape[1]
    return key_mask(mask).expand(-1, heads, n, -1)


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask):
    length = mask.shape[-1]
    real = padding_mask(mask.sum(-1), length)
    return key_mask(real) & causal_mask(length).to(mask.device)


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask, scores):
    return torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device).masked_fill(mask.logical_not(), -torch.inf)

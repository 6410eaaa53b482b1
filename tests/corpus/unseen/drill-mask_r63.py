import torch


def padding_mask(lengths, max_length):
    idx = torch.arange(max_length, device=lengths.device)
    return torch.lt(idx.unsqueeze(0), lengths.unsqueeze(-1))


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    batch, length = mask.shape
    return torch.broadcast_to(key_mask(mask), (batch, heads, length, length))


def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


def combined_mask(mask):
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[-1]).to(mask.device))


def masked_weights(scores, mask):
    logits = torch.where(mask.to(torch.bool), scores, -torch.inf)
    return torch.softmax(logits, dim=-1)


def additive_mask(mask, scores):
    zero = torch.zeros((), dtype=scores.dtype, device=mask.device)
    return torch.where(mask, zero, zero - torch.inf)

"""One rule, j <= i and j < length, written with broadcasting and nothing else."""
import torch


def _i(n, device=None):
    return torch.arange(n, device=device).view(n, 1)


def _j(n, device=None):
    return torch.arange(n, device=device).view(1, n)


def padding_mask(lengths, max_length):
    return _j(max_length, lengths.device).lt(lengths.unsqueeze(-1))


def key_mask(mask):
    b, n = mask.size()
    return mask.view(b, 1, 1, n)


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length):
    return _j(length).le(_i(length))


def combined_mask(mask):
    n = mask.size(1)
    return key_mask(mask) & _j(n, mask.device).le(_i(n, mask.device))


def masked_weights(scores, mask):
    offset = additive_mask(mask != 0, scores)
    return torch.softmax(scores + offset, dim=-1)


def additive_mask(mask, scores):
    result = torch.full(mask.shape, -torch.inf, dtype=scores.dtype, device=scores.device)
    result[mask] = 0
    return result

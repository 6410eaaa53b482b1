from functools import lru_cache

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, :] < lengths[:, None]


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    b, n = mask.shape
    return mask.view(b, 1, 1, n).expand(b, heads, n, n)


@lru_cache(maxsize=None)
def causal_mask(length):
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask):
    b, n = mask.shape
    causal = causal_mask(n).to(mask.device)
    if b == 1:
        # one sample: no further axis has to be made room for
        causal &= mask
        return causal[None, None]
    return causal & mask[:, None, None, :]


def masked_weights(scores, mask):
    low = torch.finfo(scores.dtype).min
    return torch.softmax(torch.where(mask.to(torch.bool), scores, low), dim=-1)


def additive_mask(mask, scores):
    zero = torch.zeros((), dtype=scores.dtype, device=scores.device)
    return torch.where(mask, zero, torch.full_like(zero, float("-inf")))

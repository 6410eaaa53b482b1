# wrong: drill-mask mask-inverted line 7
import torch


def padding_mask(lengths, max_length):
    """True where padding stands, as nn.MultiheadAttention wants it."""
    return torch.arange(max_length, device=lengths.device)[None, :] >= lengths[:, None]


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    return mask[:, None, None].expand(-1, heads, mask.shape[-1], -1)


def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i


def combined_mask(mask):
    i = torch.arange(mask.shape[-1], device=mask.device)
    return (i[:, None] >= i) & mask[:, None, None]


def masked_weights(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf).softmax(dim=-1)


def additive_mask(mask, scores):
    return torch.where(mask, 0.0, -torch.inf).to(scores.dtype)

import torch
from torch.nn import functional as F


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, :] < lengths[:, None]


def key_mask(mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask, heads):
    # the well-known _expand_mask
    bsz, src_len = mask.size()
    return mask[:, None, None, :].expand(bsz, heads, src_len, src_len)


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril(diagonal=0)


def combined_mask(mask):
    # same as the extended attention mask of a decoder
    bsz, seq_len = mask.size()
    pad = mask.unsqueeze(1) & mask.unsqueeze(2)  # (bsz, seq_len, seq_len)
    subsequent = causal_mask(seq_len).to(mask.device)
    return (pad & subsequent).unsqueeze(1)


def masked_weights(scores, mask):
    return F.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)


def additive_mask(mask, scores):
    out = torch.zeros_like(mask, dtype=scores.dtype)
    return out.masked_fill_(mask.logical_not(), float("-inf"))

# attn-kata: drill-mask
import torch


def _grid(n):
    pos = torch.arange(n)
    return pos.unsqueeze(0), pos.unsqueeze(1)


def padding_mask(lengths, max_length):
    cols = torch.arange(max_length, device=lengths.device)
    return cols[None] < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    b, n = mask.shape
    return mask[:, None, None, :].expand(b, heads, n, n)


def causal_mask(length):
    query, key = _grid(length)
    return key <= query


def combined_mask(mask):
    n = mask.shape[1]
    past = torch.ones(n, n, dtype=torch.bool, device=mask.device).tril()
    return key_mask(mask) & past


def masked_weights(scores, mask):
    hidden = mask == 0
    return scores.masked_fill(hidden, float("-inf")).softmax(-1)


def additive_mask(mask, scores):
    out = scores.new_zeros(mask.shape)
    out[~mask] = -torch.inf
    return out

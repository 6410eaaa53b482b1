import torch


def padding_mask(lengths, max_length):
    positions = torch.arange(max_length, device=lengths.device)
    return positions[None, :] <= lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    b, n = mask.shape
    return mask[:, None, None, :].expand(b, heads, n, n)


def causal_mask(length):
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask):
    causal = causal_mask(mask.shape[1]).to(mask.device)
    return mask[:, None, None, :] & causal


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)


def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return out.masked_fill(mask == 0, float("-inf"))

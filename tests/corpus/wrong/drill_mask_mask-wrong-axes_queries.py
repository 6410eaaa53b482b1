# wrong: drill-mask mask-wrong-axes line 12
import torch


def padding_mask(lengths, max_length):
    col = lengths[:, None]
    return torch.arange(max_length, device=col.device) < col


def key_mask(mask):
    # one new axis after the other
    return mask.unsqueeze(-1).unsqueeze(-1)


def expanded_mask(mask, heads):
    n = mask.size(1)
    return mask.unsqueeze(1).unsqueeze(1).expand(-1, heads, n, n)


def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def combined_mask(mask):
    n = mask.size(1)
    causal = torch.tril(torch.ones(n, n, dtype=torch.bool, device=mask.device))
    return mask.unsqueeze(1).unsqueeze(1) & causal


def masked_weights(scores, mask):
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), -1)


def additive_mask(mask, scores):
    return torch.log(mask.to(scores.dtype))

import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, :] < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length):
    i = torch.arange(length)
    return i[None, :] <= i[:, None]


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    # softmax over what is shown: the exponentials of hidden scores are taken out of the sum
    top = scores.max(dim=-1, keepdim=True).values
    exps = torch.exp(scores - top) * (mask != 0)
    return exps / exps.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return out.masked_fill(~mask, float("-inf"))

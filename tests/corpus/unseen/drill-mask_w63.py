import torch


def padding_mask(lengths, max_length):
    cols = torch.arange(1, max_length + 1, device=lengths.device)
    return cols[None, :] <= lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    n = mask.shape[1]
    return torch.broadcast_to(key_mask(mask), (mask.shape[0], heads, n, n))


def causal_mask(length):
    idx = torch.arange(length)
    return idx[:, None] >= idx[None, :]


def combined_mask(mask):
    idx = torch.arange(mask.shape[1], device=mask.device)
    tri = idx[:, None] >= idx[None, :]
    return key_mask(mask) & tri[None, None, :, :]


def masked_weights(scores, mask):
    # filter the rows of the table, then normalise again so each sums to one
    w = torch.softmax(scores, dim=-1)
    w = w * mask.to(scores.dtype)
    total = w.sum(dim=-1, keepdim=True)
    return w / total


def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    out[~mask] = -torch.inf
    return out

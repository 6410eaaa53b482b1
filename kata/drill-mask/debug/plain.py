import torch


def padding_mask(lengths, max_length):
    ids = torch.arange(max_length, device=lengths.device)
    return ids.unsqueeze(0) < lengths.unsqueeze(1)


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    b, t = mask.shape
    return mask.view(b, 1, 1, t).expand(b, heads, t, t)


def causal_mask(length):
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask):
    t = mask.size(1)
    look_ahead = torch.tril(torch.ones(t, t, dtype=torch.bool, device=mask.device))
    return mask[:, None, None, :] & look_ahead[None, None, :, :]


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    out[~mask] = float("-inf")
    return out

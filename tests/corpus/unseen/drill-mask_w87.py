import torch


def _places(n, like):
    return torch.arange(n, device=like.device)[None]


def _within(places, ends):
    return places <= ends[:, None]


def padding_mask(lengths, max_length):
    return _within(_places(max_length, lengths), lengths)


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    n = mask.shape[1]
    return key_mask(mask).expand(-1, heads, n, -1)


def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf")).softmax(-1)


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask.logical_not(), float("-inf"))

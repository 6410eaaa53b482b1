import torch


def padding_mask(lengths, max_length):
    return torch.stack([torch.arange(max_length, device=lengths.device) < n for n in lengths])


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    n = mask.shape[-1]
    return key_mask(mask).expand(-1, heads, n, n)


def causal_mask(length):
    return torch.eye(length).cumsum(0) > 0


def combined_mask(mask):
    return key_mask(mask) * causal_mask(mask.shape[-1]).to(mask.device)


def lowest(scores):
    # a fill that every dtype can hold
    return scores.detach().amin(dim=-1, keepdim=True) - 1


def masked_weights(scores, mask):
    scores = torch.where(mask != 0, scores, lowest(scores))
    return torch.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)

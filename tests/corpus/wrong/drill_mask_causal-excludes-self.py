# wrong: drill-mask causal-excludes-self line 20
# fair: causal-excludes-self 20, 21
import torch


def padding_mask(lengths, max_length):
    return torch.stack([torch.arange(max_length, device=lengths.device) < n for n in lengths])


def key_mask(mask):
    return mask.view(mask.shape[0], 1, 1, -1)


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length):
    q = torch.arange(length).view(-1, 1)
    k = torch.arange(length).view(1, -1)
    earlier = k < q
    return earlier


def combined_mask(mask):
    steps = torch.arange(mask.shape[1], device=mask.device)
    not_ahead = steps.view(1, -1) <= steps.view(-1, 1)
    return key_mask(mask) & not_ahead


def masked_weights(scores, mask):
    return (scores + (mask != 0).to(scores.dtype).log()).softmax(-1)


def additive_mask(mask, scores):
    return mask.to(scores.dtype).log()

# wrong: drill-mask masks-ored line 23
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths.reshape(-1, 1)


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], mask.shape[1])


def causal_mask(length):
    return torch.ones(length, length).tril() == 1


def combined_mask(mask):
    causal = torch.ones(mask.shape[1], mask.shape[1], device=mask.device).tril() == 1
    return key_mask(mask) | causal


def masked_weights(scores, mask):
    seen = mask != 0
    return torch.where(seen, scores, scores.new_tensor(-torch.inf)).softmax(-1)


def additive_mask(mask, scores):
    return torch.where(mask, scores.new_tensor(0.0), scores.new_tensor(-torch.inf))

# wrong: drill-mask result-dtype line 33
# fair: result-dtype 33, 34
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    return key_mask(mask).expand(-1, heads, mask.shape[1], mask.shape[1])


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask):
    causal = causal_mask(mask.shape[1]).to(mask.device)
    return key_mask(mask) & causal


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(-1)


def additive_mask(mask, scores):
    bias = torch.zeros(mask.shape, device=mask.device)
    return bias.masked_fill(~mask, float("-inf"))

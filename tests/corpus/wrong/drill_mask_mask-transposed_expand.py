# wrong: drill-mask mask-transposed line 15
import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device).lt(lengths[:, None])


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    B, T = mask.shape
    return mask.reshape(B, 1, T, 1).expand(B, heads, T, T)


def causal_mask(length):
    return torch.full((length, length), True).tril()


def combined_mask(mask):
    T = mask.shape[1]
    causal = torch.full((T, T), True, device=mask.device).tril()
    return causal & mask[:, None, None]


def masked_weights(scores, mask):
    filled = scores.clone()
    filled.masked_fill_(mask == 0, -1e30 if scores.dtype != torch.float16 else -6e4)
    return filled.softmax(-1)


def additive_mask(mask, scores):
    bias = scores.new_full(mask.shape, float("-inf"))
    bias[mask] = 0
    return bias

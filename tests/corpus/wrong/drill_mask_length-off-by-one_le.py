# wrong: drill-mask length-off-by-one line 7
import torch


def padding_mask(lengths, max_length):
    pos = torch.arange(max_length, device=lengths.device)
    return pos[None, :] <= lengths[:, None]


def key_mask(mask):
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    t = mask.shape[1]
    return mask[:, None, None, :].expand(-1, heads, t, t)


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    return scores.masked_fill(mask == 0, -torch.inf).softmax(-1)


def additive_mask(mask, scores):
    return scores.new_zeros(mask.shape).masked_fill(~mask, -torch.inf)

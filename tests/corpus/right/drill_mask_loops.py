# right: drill-mask
"""A beginner's: entry by entry."""
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_length):
    rows = []
    for n in lengths.tolist():
        rows.append([1] * n + [0] * (max_length - n))
    return torch.tensor(rows, device=lengths.device) == 1


def key_mask(mask):
    return mask[:, None, None]


def expanded_mask(mask, heads):
    return mask[:, None, None].expand(mask.shape[0], heads, mask.shape[1], mask.shape[1])


def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def combined_mask(mask):
    both = []
    for sample in mask:
        both.append((causal_mask(len(sample)).to(mask.device) & sample).unsqueeze(0))
    return torch.stack(both)


def masked_weights(scores, mask):
    visible = mask.bool().expand_as(scores)
    copy = scores.clone()
    copy[~visible] = -1e4 * 6
    return F.softmax(copy, -1)


def additive_mask(mask, scores):
    zero = torch.tensor(0.0, dtype=scores.dtype, device=scores.device)
    minus = torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
    return torch.where(mask, zero, minus)

# wrong: varlen sequences-mixed line 26
import math

import torch


def cumulative_lengths(lengths):
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).int()


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths).tolist()
    mask = torch.zeros((total, total), dtype=torch.bool, device=lengths.device)
    for a, b in zip(cu, cu[1:]):
        mask[a:b, a:b] = True
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    output = torch.zeros_like(query)
    for a, b in zip(cu, cu[1:]):
        q = query[a:b].transpose(0, 1)
        k = key[:b].transpose(0, 1)
        v = value[:b].transpose(0, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if causal:
            rows = torch.arange(a, b, device=q.device)[:, None]
            cols = torch.arange(b, device=q.device)
            scores = scores.masked_fill(cols > rows, float("-inf"))
        output[a:b] = (scores.softmax(-1) @ v).transpose(0, 1)
    return output

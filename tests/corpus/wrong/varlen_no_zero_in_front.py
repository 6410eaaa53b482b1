# wrong: varlen offsets-without-zero line 8
import math

import torch


def cumulative_lengths(lengths):
    return torch.cumsum(lengths, dim=0, dtype=torch.int32)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    end = 0
    for n in lengths:
        begin, end = end, end + int(n)
        mask[begin:end, begin:end] = 1
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    end = 0
    for n in lengths:
        begin, end = end, end + int(n)
        s = torch.einsum("ihd,jhd->hij", query[begin:end], key[begin:end]) / math.sqrt(query.shape[2])
        if causal:
            future = torch.triu(torch.ones(s.shape[1:], dtype=torch.bool, device=s.device), diagonal=1)
            s = s.masked_fill(future, float("-inf"))
        out[begin:end] = torch.einsum("hij,jhd->ihd", s.softmax(2), value[begin:end])
    return out

# right: varlen
import math

import torch


def cumulative_lengths(lengths):
    n = len(lengths)
    lower = torch.ones(n + 1, n, dtype=lengths.dtype, device=lengths.device).tril(-1)
    return (lower * lengths).sum(1)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    which = torch.bucketize(torch.arange(total, device=lengths.device), cu[1:].contiguous(), right=True)
    pairs = which[:, None] - which[None, :] == 0
    return pairs.logical_and(which[None, :] != len(lengths))


def varlen_attention(query, key, value, lengths, causal=False):
    first = cumulative_lengths(lengths).tolist()
    rows = []
    for i, n in enumerate(lengths.tolist()):
        for t in range(n):
            stop = first[i] + (t + 1 if causal else n)
            keys, values = key[first[i]:stop], value[first[i]:stop]
            s = (query[first[i] + t] * keys).sum(-1) / math.sqrt(keys.shape[-1])
            w = torch.softmax(s, dim=0)
            rows.append((w[..., None] * values).sum(0))
    while len(rows) < len(query):
        rows.append(torch.zeros_like(query[0]))
    return torch.stack(rows)

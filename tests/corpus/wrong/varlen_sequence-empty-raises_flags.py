# wrong: varlen sequence-empty-raises line 13

import torch


def cumulative_lengths(lengths):
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int()


def document_mask(lengths, total):
    bounds = cumulative_lengths(lengths)
    begins = torch.zeros(total, dtype=torch.long, device=lengths.device)
    begins[bounds[:-1].long()] = 1
    sequence = begins.cumsum(0)
    filled = torch.arange(total, device=lengths.device) < bounds[-1]
    return (sequence[:, None] == sequence) & filled & filled[:, None]


def varlen_attention(query, key, value, lengths, causal=False):
    output = torch.zeros_like(query)
    bounds = cumulative_lengths(lengths).tolist()
    for a, b in zip(bounds, bounds[1:], strict=False):
        scores = torch.einsum("qhd,khd->hqk", query[a:b], key[a:b]) / query.shape[-1] ** 0.5
        if causal:
            later = torch.ones(b - a, b - a, dtype=torch.bool, device=query.device).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        output[a:b] = torch.einsum("hqk,khd->qhd", scores.softmax(-1), value[a:b])
    return output

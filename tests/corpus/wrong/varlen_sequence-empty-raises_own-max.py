# wrong: varlen sequence-empty-raises line 23

import torch


def cumulative_lengths(lengths):
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).to(torch.int32)


def document_mask(lengths, total):
    number = torch.full((total,), -1, device=lengths.device)
    bounds = cumulative_lengths(lengths).tolist()
    for i in range(len(bounds) - 1):
        number[bounds[i] : bounds[i + 1]] = i
    return (number[:, None] == number) & (number >= 0)


def one_sequence(q, k, v, causal):
    scores = torch.einsum("qhd,khd->hqk", q, k) * q.shape[-1] ** -0.5
    if causal:
        later = torch.ones(len(q), len(k), dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    top = torch.max(scores, dim=2, keepdim=True).values
    shares = torch.exp(scores - top)
    shares = shares / shares.sum(dim=2, keepdim=True)
    return torch.einsum("hqk,khd->qhd", shares, v)


def varlen_attention(query, key, value, lengths, causal=False):
    parts, at = [], 0
    for n in lengths.tolist():
        here = slice(at, at + n)
        parts.append(one_sequence(query[here], key[here], value[here], causal))
        at += n
    parts.append(torch.zeros_like(query[at:]))
    return torch.cat(parts)

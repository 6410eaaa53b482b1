from collections import defaultdict

import torch
from torch import einsum


def cumulative_lengths(lengths):
    out = lengths.new_zeros(len(lengths) + 1)
    out[1:] = lengths.cumsum(0)
    return out


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    i = torch.arange(total, device=lengths.device)
    inside = (i >= cu[:-1, None]) & (i < cu[1:, None])  # (batch, total)
    return (inside[:, :, None] & inside[:, None, :]).any(0)


def by_length(lengths):
    """{length: [starts]}: what is equally long makes one batch, without padding"""
    groups = defaultdict(list)
    for start, n in zip(cumulative_lengths(lengths).tolist(), lengths.tolist()):
        groups[n].append(start)
    groups.pop(0, None)
    return groups


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(value)
    for n, starts in by_length(lengths).items():
        i = torch.arange(n, device=query.device)
        where = torch.tensor(starts, device=query.device)[:, None] + i  # (group, n)
        q, k, v = query[where], key[where], value[where]
        s = einsum("gihd,gjhd->ghij", q, k) * q.shape[-1] ** -0.5
        if causal:
            s = s.masked_fill(i > i[:, None], -torch.inf)
        out = out.index_put((where,), einsum("ghij,gjhd->gihd", s.softmax(-1), v))
    return out

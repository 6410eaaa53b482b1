import itertools
import math

import torch


def cumulative_lengths(lengths):
    out = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    torch.cumsum(lengths, 0, dtype=torch.int32, out=out[1:])
    return out


def document_mask(lengths, total):
    """A place's document is the number of sequences that end at or before it."""
    ends = cumulative_lengths(lengths)[1:]
    place = torch.arange(total, device=lengths.device, dtype=ends.dtype)
    document = torch.searchsorted(ends, place, right=True)
    same = document[:, None] == document
    return same & (document < lengths.numel())[:, None]


def one_head(q, k, v, hidden):
    """(length, head_dim) each, without an axis for the heads"""
    s = torch.mm(q, k.t()).div(math.sqrt(q.shape[1]))
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)
    s = s - s.amax(1, keepdim=True)
    log_w = s - s.exp().sum(1, keepdim=True).log()
    return torch.mm(log_w.exp(), v)


def varlen_attention(query, key, value, lengths, causal=False):
    work = query.dtype if query.dtype == torch.float64 else torch.float32
    bounds = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for a, b in itertools.pairwise(bounds):
        if a == b:
            continue
        hidden = None
        if causal and b - a > 1:
            hidden = torch.ones(b - a, b - a, dtype=torch.bool, device=query.device).triu(1)
        for h in range(query.shape[1]):
            q, k, v = (t[a:b, h].to(work) for t in (query, key, value))
            out[a:b, h] = one_head(q, k, v, hidden).to(query.dtype)
    return out

import math
import torch


def cumulative_lengths(lengths):
    cu = torch.zeros(len(lengths) + 1, dtype=torch.int64, device=lengths.device)
    cu[1:] = lengths.cumsum(0)
    return cu


def document_mask(lengths, total):
    ids = torch.full((total,), -1, device=lengths.device)
    cu = cumulative_lengths(lengths).tolist()
    for n, (a, b) in enumerate(zip(cu, cu[1:])):
        ids[a:b] = n
    return (ids[:, None] == ids[None, :]) & (ids >= 0)[:, None]


def _attend(q, k, v, causal):
    # (heads, n, head_dim)
    s = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
    if causal:
        n = s.size(-1)
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), float("-inf"))
    s = s - s.max(dim=-1, keepdim=True).values
    e = s.exp()
    return e / e.sum(-1, keepdim=True) @ v


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for a, b in zip(cu[:-1], cu[1:]):
        q, k, v = (t[a:b].transpose(0, 1) for t in (query, key, value))
        out[a:b] = _attend(q, k, v, causal).transpose(0, 1)
    return out

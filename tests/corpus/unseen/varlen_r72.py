# attn-kata: varlen
import torch
from itertools import pairwise


def cumulative_lengths(lengths):
    out = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    out[1:] = lengths.cumsum(0)
    return out


def document_mask(lengths, total):
    ends = lengths.cumsum(0).contiguous()
    place = torch.arange(total, device=lengths.device)
    doc = torch.searchsorted(ends, place, right=True)
    real = place < lengths.sum()
    return (doc[:, None] == doc) & real[:, None] & real


def _one(q, k, v, causal):
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))
    s = q @ k.mT * q.shape[-1] ** -0.5
    if causal:
        n = s.shape[-1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -torch.inf)
    return (s.softmax(-1) @ v).transpose(0, 1)


def varlen_attention(query, key, value, lengths, causal=False):
    bounds = cumulative_lengths(lengths).tolist()
    parts = [_one(query[a:b], key[a:b], value[a:b], causal) for a, b in pairwise(bounds) if b > a]
    parts.append(torch.zeros_like(query[bounds[-1]:]))
    return torch.cat(parts)

import torch
from typing import List


def cumulative_lengths(lengths):
    zero = lengths.new_zeros(1)
    return torch.cat([zero, lengths]).cumsum(0)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    offsets: List[int] = cumulative_lengths(lengths).tolist()
    for a, b in zip(offsets, offsets[1:]):
        mask[a:b, a:b] = True
    return mask


def stable_softmax(s):
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, head_dim = query.shape
    out = query.new_zeros(query.shape)
    offsets = cumulative_lengths(lengths).tolist()
    for a, b in zip(offsets, offsets[1:]):
        q = query[a:b].permute(1, 0, 2)
        k = key[a:b].permute(1, 2, 0)
        s = torch.bmm(q, k) * head_dim ** -0.5
        if causal:
            n = b - a
            s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), float("-inf"))
        p = stable_softmax(s)
        out[a:b] = torch.bmm(p, value[a:b].permute(1, 0, 2)).permute(1, 0, 2)
    return out

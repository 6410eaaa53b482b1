import math

import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int32, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths, 0).to(torch.int32)])


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    start = 0
    for n in lengths.tolist():
        mask[start:start + n, start:start + n] = True
        start += n
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    scale = 1 / math.sqrt(query.shape[-1])
    start = 0
    for n in lengths.tolist():
        if n == 0:
            continue
        q = query[start:start + n]
        k = key[start:start + n]
        v = value[start:start + n]
        s = torch.einsum("qhd,khd->hqk", q, k) * scale
        if causal:
            keep = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
            s = s.masked_fill(~keep, float("-inf"))
        p = torch.softmax(s, dim=-1)
        out[start:start + n] = torch.einsum("hqk,khd->qhd", p, v)
        start += n
    return out

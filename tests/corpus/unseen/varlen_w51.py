import math

import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([zero, lengths.cumsum(0)])


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    start = 0
    for n in lengths.tolist():
        mask[start:start + n, start:start + n] = True
        start += n
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    scale = 1 / math.sqrt(query.size(-1))
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for s, e in zip(cu[:-1], cu[1:]):
        if s == e:
            continue
        # (n, n, heads): the heads stay behind
        att = torch.einsum("qhd,khd->qkh", query[s:e], key[s:e]) * scale
        if causal:
            later = torch.ones(e - s, e - s, device=query.device).triu(1).bool()
            att = att.masked_fill(later[:, :, None], float("-inf"))
        att = att.softmax(dim=-1)
        out[s:e] = torch.einsum("qkh,khd->qhd", att, value[s:e])
    return out

# wrong: varlen packed-tail-seen line 14
# fair: packed-tail-seen 19
import math

import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int32, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths, 0).to(torch.int32)])


def document_mask(lengths, total):
    sequence = torch.zeros(total, dtype=torch.long, device=lengths.device)
    start = 0
    for number, n in enumerate(lengths.tolist()):
        sequence[start:start + n] = number
        start += n
    return sequence[:, None] == sequence


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

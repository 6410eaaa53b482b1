import math
import torch


def cumulative_lengths(lengths):
    out = [0]
    for n in lengths.tolist():
        out.append(out[-1] + n)
    return torch.tensor(out, dtype=torch.int64, device=lengths.device)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    start = 0
    for n in lengths.tolist():
        mask[start:start + n, start:start + n] = True
        start += n
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, head_dim = query.shape
    out = torch.zeros_like(query)
    start = 0
    for n in lengths.tolist():
        s = start
        e = start + n
        start = e
        # nothing to mix
        if n < 2:
            continue
        q = query[s:e].transpose(0, 1)
        k = key[s:e].transpose(0, 1)
        v = value[s:e].transpose(0, 1)
        scores = q @ k.transpose(1, 2) / math.sqrt(head_dim)
        if causal:
            tri = torch.tril(torch.ones(n, n, device=query.device))
            scores = scores.masked_fill(tri == 0, float("-inf"))
        w = torch.softmax(scores, dim=-1)
        o = w @ v
        out[s:e] = o.transpose(0, 1)
    return out

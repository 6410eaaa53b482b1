import math
import torch


def cumulative_lengths(lengths):
    return torch.cumsum(lengths, dim=0)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    start = 0
    for n in lengths.tolist():
        mask[start:start + n, start:start + n] = True
        start += n
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    start = 0
    for n in lengths.tolist():
        if n == 0:
            continue
        q = query[start:start + n].transpose(0, 1)
        k = key[start:start + n].transpose(0, 1)
        v = value[start:start + n].transpose(0, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if causal:
            mask = torch.tril(torch.ones(n, n, dtype=torch.bool, device=q.device))
            scores = scores.masked_fill(~mask, float("-inf"))
        out[start:start + n] = (scores.softmax(-1) @ v).transpose(0, 1)
        start += n
    return out

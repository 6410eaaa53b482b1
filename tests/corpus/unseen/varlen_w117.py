import math

import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, dim=0)
    return cu


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    pos = torch.arange(total, device=lengths.device, dtype=torch.int32)
    # doc id of every place; the tail gets id == len(lengths)
    doc = torch.bucketize(pos, cu[1:])
    valid = doc < lengths.numel()
    same = doc.unsqueeze(0) == doc.unsqueeze(1)
    return same & valid.unsqueeze(0) & valid.unsqueeze(1)


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for start, stop in zip(cu[:-1], cu[1:]):
        if start == stop:
            continue
        # (heads, n, head_dim)
        q = query[start:stop].transpose(0, 1)
        k = key[start:stop].transpose(0, 1)
        v = value[start:stop].transpose(0, 1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if causal:
            future = torch.ones(stop - start, stop - start, device=q.device).triu(1).bool()
            scores = scores.masked_fill(future, -math.inf)
        out[start:stop] = (F.softmax(scores, dim=-1) @ v).transpose(0, 1)
    return out

import math

import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths, dim=0)])


def document_mask(lengths, total):
    cu_seqlens = cumulative_lengths(lengths)
    positions = torch.arange(total, device=lengths.device)
    doc_ids = torch.bucketize(positions, cu_seqlens[1:])
    same = doc_ids[:, None] == doc_ids[None, :]
    used = positions < cu_seqlens[-1]
    return same & used[:, None] & used[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    cu_seqlens = cumulative_lengths(lengths).tolist()
    scale = 1.0 / math.sqrt(query.shape[-1])
    out = torch.zeros_like(query)
    for start, end in zip(cu_seqlens[:-1], cu_seqlens[1:]):
        q = query[start:end].transpose(0, 1)
        k = key[start:end].transpose(0, 1)
        v = value[start:end].transpose(0, 1)
        scores = q @ k.transpose(-2, -1) * scale
        if causal:
            n = end - start
            future = torch.triu(torch.ones(n, n, dtype=torch.bool, device=query.device), diagonal=1)
            scores = scores.masked_fill(future, float("-inf"))
        out[start:end] = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1)
    return out

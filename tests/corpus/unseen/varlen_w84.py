import math
import torch


def cumulative_lengths(lengths):
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, dim=0)
    return cu


def document_mask(lengths, total):
    ids = torch.full((total,), -1, device=lengths.device)
    cu = cumulative_lengths(lengths).tolist()
    for i in range(len(cu) - 1):
        ids[cu[i]:cu[i + 1]] = i
    return ids[:, None] == ids[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for s, e in zip(cu[:-1], cu[1:]):
        if s == e:
            continue
        q, k, v = (t[s:e].transpose(0, 1) for t in (query, key, value))
        score = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if causal:
            score = score.masked_fill(torch.ones(e - s, e - s, device=q.device).triu(1).bool(), -math.inf)
        out[s:e] = (score.softmax(-1) @ v).transpose(0, 1)
    return out

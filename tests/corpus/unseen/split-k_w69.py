import math

import torch


def chunk_attention(query, key, value, seen):
    logits = torch.matmul(query, torch.transpose(key, 2, 3)).float() if query.dtype.itemsize < 4 else torch.matmul(query, key.mT)
    logits = logits / math.sqrt(query.shape[-1])
    logits = torch.where(seen[:, None, None, :], logits, -math.inf)
    lse = torch.logsumexp(logits, dim=-1)
    any_seen = torch.any(seen, dim=-1)[:, None, None, None]
    probs = torch.softmax(torch.where(any_seen, logits, 0.0), dim=-1)
    probs = torch.where(any_seen, probs, 0.0)
    return torch.matmul(probs.to(value.dtype), value), lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    empty = torch.isinf(lse) & (lse < 0)
    base = torch.where(empty, torch.zeros_like(lse), lse)
    weights = torch.exp(lses - base)[..., None]
    merged = torch.sum(weights * outputs.to(weights.dtype), dim=0)
    return merged.to(outputs.dtype), lse


def split_k_attention(query, key, value, lengths, splits):
    k_len = key.shape[2]
    chunk = max(1, k_len // splits)
    lengths = lengths.to(key.device)
    outs, lses = [], []
    for i in range(min(splits, k_len)):
        lo, hi = i * chunk, (i + 1) * chunk
        idx = torch.arange(lo, hi, device=key.device)
        o, l = chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], torch.less(idx[None], lengths[:, None]))
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs, 0), torch.stack(lses, 0))[0]

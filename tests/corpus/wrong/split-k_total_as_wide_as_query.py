# wrong: split-k output-like-query line 22 (error)
import math

import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None], -math.inf)
    lse = scores.logsumexp(-1)
    weights = (scores - lse.clamp_min(-1e30)[..., None]).exp()
    return weights @ value, lse


def merge(outputs, lses):
    lse = lses.logsumexp(0)
    shares = (lses - lse.clamp_min(-1e30)).exp()
    return (shares[..., None] * outputs).sum(0), lse


def split_k_attention(query, key, value, lengths, splits):
    total = torch.zeros_like(query)
    known = torch.full_like(query[..., 0], -math.inf)
    seen = torch.arange(key.shape[2], device=key.device) < lengths[:, None]
    size = -(-key.shape[2] // splits)
    for start in range(0, key.shape[2], size):
        at = slice(start, start + size)
        part, lse = chunk_attention(query, key[:, :, at], value[:, :, at], seen[:, at])
        both = torch.logaddexp(known, lse)
        kept = (known - both.clamp_min(-1e30)).exp()
        total = total * kept[..., None] + part * (lse - both.clamp_min(-1e30)).exp()[..., None]
        known = both
    return total

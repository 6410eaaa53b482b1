# wrong: split-k scale-twice line 22
import math

import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None], -math.inf)
    lse = scores.logsumexp(-1)
    weights = (scores - lse.clamp_min(-3e4)[..., None]).exp()
    return weights @ value, lse


def merge(outputs, lses):
    lse = lses.logsumexp(0)
    shares = (lses - lse.clamp_min(-3e4)).exp()
    return (shares[..., None] * outputs).sum(0), lse


def split_k_attention(query, key, value, lengths, splits):
    q = query / math.sqrt(query.shape[-1])
    seen = torch.arange(key.shape[2], device=key.device) < lengths[:, None]
    size = -(-key.shape[2] // splits)
    parts = [
        chunk_attention(q, *part)
        for part in zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1), strict=True)
    ]
    return merge(*(torch.stack(both) for both in zip(*parts, strict=True)))[0]

# wrong: split-k lengths-from-first line 30
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


def chunks(length, splits):
    size = -(-length // splits)
    return [(at, min(at + size, length)) for at in range(0, length, size)]


def split_k_attention(query, key, value, lengths, splits):
    places = torch.arange(key.shape[2], device=key.device)
    outputs, lses = [], []
    for start, stop in chunks(key.shape[2], splits):
        stop = max(start, min(stop, int(lengths[0])))
        if start == stop:
            continue
        seen = places[start:stop] < lengths[:, None]
        part, lse = chunk_attention(query, key[:, :, start:stop], value[:, :, start:stop], seen)
        outputs.append(part)
        lses.append(lse)
    return merge(torch.stack(outputs), torch.stack(lses))[0]

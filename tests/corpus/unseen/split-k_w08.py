# attn-kata: split-k
import math

import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    safe = lse.masked_fill(lse == float("-inf"), 0.0)
    weights = torch.exp(scores - safe[..., None])
    return weights @ value, lse


def merge(outputs, lses):
    top = lses.max(dim=0).values
    shares = torch.exp(lses - top)
    total = shares.sum(dim=0)
    merged = (outputs * shares[..., None]).sum(dim=0) / total[..., None]
    return merged, top + total.log()


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = max(1, math.ceil(n / splits))
    outs, lses = [], []
    for start in range(0, n, size):
        stop = min(n, start + size)
        place = torch.arange(start, stop, device=key.device)
        o, l = chunk_attention(query, key[:, :, start:stop], value[:, :, start:stop], place < lengths[:, None])
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]

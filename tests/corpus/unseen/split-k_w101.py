import math
import torch


def chunk_attention(query, key, value, seen):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    s = s.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = s.logsumexp(-1)
    p = torch.exp(s - lse.clamp(min=torch.finfo(s.dtype).min)[..., None])
    return p @ value, lse


def merge(outputs, lses):
    total = lses.logsumexp(0)
    share = torch.exp(lses - total.clamp(min=torch.finfo(total.dtype).min))
    return (share[..., None] * outputs).sum(0), total


def split_k_attention(query, key, value, lengths, splits):
    size = -(-key.shape[2] // splits)
    outs, lses = [], []
    for start in range(0, key.shape[2], size):
        k, v = key[:, :, start:start + size], value[:, :, start:start + size]
        seen = torch.arange(k.shape[2], device=k.device) < lengths[:, None]
        o, l = chunk_attention(query, k, v, seen)
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]

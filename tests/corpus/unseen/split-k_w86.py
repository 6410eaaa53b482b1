# attn-kata: split-k
import math
import torch


def chunk_attention(query, key, value, seen):
    up = torch.promote_types(query.dtype, torch.float32)
    s = (query.to(up) @ key.to(up).mT) / math.sqrt(query.size(-1))
    s = torch.where(seen[:, None, None, :], s, -math.inf)
    lse = torch.logsumexp(s, dim=-1)
    dead = torch.isneginf(lse)
    p = torch.exp(s - torch.where(dead, 0.0, lse)[..., None])
    return (p @ value.to(up)).to(value.dtype), lse.to(query.dtype)


def merge(outputs, lses):
    """flash-decoding's second kernel"""
    peak = lses.max(dim=0).values
    base = torch.where(torch.isneginf(peak), torch.zeros_like(peak), peak)
    w = torch.exp(lses - base)
    total = w.sum(dim=0)
    safe = torch.where(total > 0, total, torch.ones_like(total))
    merged = torch.einsum("sbhq,sbhqv->bhqv", w / safe, outputs)
    lse = peak
    return merged, lse


def split_k_attention(query, key, value, lengths, splits):
    n = key.size(2)
    per = max(1, math.ceil(n / splits))
    where = torch.arange(n, device=key.device)
    done = None
    for k, v, p in zip(key.split(per, 2), value.split(per, 2), where.split(per)):
        part = chunk_attention(query, k, v, p[None] < lengths[:, None])
        if done is None:
            done = part
        else:
            done = merge(torch.stack((done[0], part[0])), torch.stack((done[1], part[1])))
    return done[0]

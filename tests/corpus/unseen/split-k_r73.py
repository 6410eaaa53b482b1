import math
import torch
from torch import Tensor


def _acc(t: Tensor) -> torch.dtype:
    return torch.promote_types(t.dtype, torch.float32)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    a = _acc(query)
    scores = torch.einsum("bhqd,bhkd->bhqk", query.to(a), key.to(a)).mul(query.size(-1) ** -0.5)
    scores = scores.masked_fill(seen.logical_not()[:, None, None, :], -math.inf)
    lse = scores.logsumexp(-1)
    empty = torch.isneginf(lse)
    w = torch.exp(scores - lse.masked_fill(empty, 0.0).unsqueeze(-1))
    return (w @ value.to(a)).to(value.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor):
    """fold pairwise from the left, as a ring would"""
    a = _acc(outputs)
    o, l = outputs[0].to(a), lses[0].to(a)
    for o2, l2 in zip(outputs[1:].to(a), lses[1:].to(a)):
        both = torch.logaddexp(l, l2)
        ref = torch.where(torch.isneginf(both), torch.zeros_like(both), both)
        share1, share2 = (l - ref).exp(), (l2 - ref).exp()
        o = o * share1.unsqueeze(-1) + o2 * share2.unsqueeze(-1)
        l = both
    return o.to(outputs.dtype), l.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int):
    a = _acc(query)
    n = key.size(2)
    seen = torch.arange(n, device=key.device).unsqueeze(0) < lengths.unsqueeze(1)
    size = -(-n // splits)
    parts = [
        chunk_attention(query.to(a), k.to(a), v.to(a), s)
        for k, v, s in zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1))
    ]
    return merge(*map(torch.stack, zip(*parts)))[0].to(query.dtype)

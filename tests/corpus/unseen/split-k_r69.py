import torch
from itertools import count


def chunk_attention(query, key, value, seen):
    acc = torch.promote_types(query.dtype, torch.float32)
    s = query.to(acc) @ key.to(acc).mT * query.shape[-1] ** -0.5
    s = s.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = torch.logsumexp(s, dim=-1)
    w = torch.exp(s - torch.where(lse.isneginf(), 0, lse).unsqueeze(-1))
    return (w @ value.to(acc)).to(value.dtype), lse


def _merge_two(o1, l1, o2, l2):
    l = torch.logaddexp(l1, l2)
    ref = l.masked_fill(l == -torch.inf, 0.0)
    w1, w2 = torch.exp(l1 - ref), torch.exp(l2 - ref)
    return o1 * w1.unsqueeze(-1) + o2 * w2.unsqueeze(-1), l


def merge(outputs, lses):
    """pairwise, as a tree"""
    acc = torch.promote_types(outputs.dtype, torch.float32)
    todo = [(o.to(acc), l.to(acc)) for o, l in zip(outputs, lses)]
    while len(todo) > 1:
        nxt = [_merge_two(*a, *b) for a, b in zip(todo[::2], todo[1::2])]
        if len(todo) % 2:
            nxt.append(todo[-1])
        todo = nxt
    o, l = todo[0]
    return o.to(outputs.dtype), l


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    step = -(-n // splits)
    outs, lses = [], []
    for i in range(0, n, step):
        kv = slice(i, min(i + step, n))
        place = torch.arange(n, device=key.device)[kv]
        o, l = chunk_attention(query, key[:, :, kv], value[:, :, kv], place[None] < lengths[:, None])
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0].to(query.dtype)

import math

import torch


def chunk_attention(q, k, v, mask):
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    s = s.masked_fill(~mask[:, None, None, :], float("-inf"))
    m = s.max(dim=-1, keepdim=True).values
    m = m.clamp(min=torch.finfo(s.dtype).min)
    p = torch.exp(s - m)
    l = p.sum(dim=-1, keepdim=True)
    o = (p @ v) / l.clamp(min=1)
    lse = m + torch.log(l)
    return o, lse[..., 0]


def merge(outputs, lses):
    top = lses.max(dim=0).values.clamp(min=torch.finfo(lses.dtype).min)
    w = torch.exp(lses - top)
    total = w.sum(dim=0)
    out = (w[..., None] * outputs).sum(dim=0) / total.clamp(min=1)[..., None]
    return out, top + torch.log(total)


def split_k_attention(q, k, v, lengths, splits):
    n = k.size(2)
    size = math.ceil(n / splits)
    outs, lses = [], []
    for a in range(0, n, size):
        b = min(a + size, n)
        where = torch.arange(a, b, device=k.device)
        seen = where[None, :] < lengths[:, None]
        o, l = chunk_attention(q, k[:, :, a:b], v[:, :, a:b], seen)
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]

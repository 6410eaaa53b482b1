import math

import torch

NINF = -math.inf


def chunk_attention(query, key, value, seen):
    up = torch.promote_types(query.dtype, torch.float32)
    s = query.to(up) @ key.to(up).transpose(-1, -2) / math.sqrt(query.size(-1))
    s = s.masked_fill(~seen[:, None, None, :], NINF)
    top = s.amax(-1, keepdim=True)
    top = top.masked_fill(top == NINF, 0.0)          # nothing seen: exp(-inf - 0) = 0
    e = (s - top).exp()
    z = e.sum(-1, keepdim=True)
    out = (e @ value.to(up)) / z.masked_fill(z == 0, 1.0)
    lse = (z.log() + top).squeeze(-1)
    return out.to(query.dtype), lse


def merge(outputs, lses):
    lse = lses.logsumexp(0)
    base = lse.masked_fill(lse == NINF, 0.0)
    share = (lses - base).exp()
    return (share.unsqueeze(-1) * outputs).sum(0).to(outputs.dtype), lse


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    seen = torch.arange(n, device=key.device)[None] < lengths.to(key.device)[:, None]
    outs, lses = [], []
    parts = zip(key.tensor_split(splits, 2), value.tensor_split(splits, 2), seen.tensor_split(splits, 1))
    for k, v, m in parts:
        if k.shape[2]:
            o, l = chunk_attention(query, k, v, m)
        else:                                         # more chunks than keys
            o, l = torch.zeros_like(o), torch.full_like(l, NINF)
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]

import math

import torch
from torch import einsum


def chunk_attention(query, key, value, seen):
    s = einsum("bhqd,bhkd->bhqk", query, key).to(torch.promote_types(query.dtype, torch.float32))
    s = (s * query.shape[-1] ** -0.5).masked_fill(~seen[:, None, None, :], -torch.inf)
    m = s.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    e = (s - m).exp()
    z = e.sum(-1, keepdim=True)
    o = einsum("bhqk,bhkd->bhqd", e / z.clamp(min=1e-30), value.to(e.dtype))
    return o.to(value.dtype), (m + z.log()).squeeze(-1)


def merge(outputs, lses):
    lses = lses.to(torch.promote_types(lses.dtype, torch.float32))
    m = lses.amax(0).nan_to_num(neginf=0.0)
    w = (lses - m).exp()
    z = w.sum(0)
    o = einsum("sbhq,sbhqd->bhqd", w / z.clamp(min=1e-30), outputs.to(w.dtype))
    return o.to(outputs.dtype), m + z.log()


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    splits = min(splits, n)
    size = math.ceil(n / splits)
    pieces = zip(key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2))
    outs, lses = [], []
    for i, (k, v) in enumerate(pieces):
        place = i * size + torch.arange(k.shape[2], device=key.device)
        o, lse = chunk_attention(query, k, v, place[None] < lengths[:, None])
        outs.append(o)
        lses.append(lse)
    return merge(torch.stack(outs), torch.stack(lses))[0]

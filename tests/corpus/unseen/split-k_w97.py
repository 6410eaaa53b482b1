import math
import torch

f32 = lambda t: t if t.dtype == torch.float64 else t.float()


def chunk_attention(query, key, value, seen):
    q, k, v = map(f32, (query, key, value))
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    s = s.masked_fill(~seen[:, None, None], -math.inf)
    lse = s.logsumexp(-1)
    none = lse == -math.inf
    p = torch.exp(s - lse.masked_fill(none, 0.0)[..., None])
    o = torch.einsum("bhqk,bhkd->bhqd", p, v)
    return o.to(query.dtype), lse.to(query.dtype)


def merge(outputs, lses):
    L = f32(lses).logsumexp(0)
    share = f32(lses).softmax(0)
    o = torch.einsum("sbhq,sbhqd->bhqd", share, f32(outputs))
    return o.to(outputs.dtype), L.to(lses.dtype)


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    step = math.ceil(n / splits)
    pos = torch.arange(n, device=key.device)
    seen = pos[None] < lengths[:, None]
    os, ls = [], []
    for k, v, m in zip(key.split(step, 2), value.split(step, 2), seen.split(step, 1)):
        o, l = chunk_attention(f32(query), f32(k), f32(v), m)
        os.append(o), ls.append(l)
    return merge(torch.stack(os), torch.stack(ls))[0].to(query.dtype)

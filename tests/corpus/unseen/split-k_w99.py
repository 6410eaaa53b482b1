import torch
from math import inf


def up(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(query, key, value, seen):
    q, k, v = up(query), up(key), up(value)
    if k.shape[2] == 0:
        return query.new_zeros(*q.shape[:-1], v.shape[-1]), query.new_full(q.shape[:-1], -inf)
    s = (q @ k.mT) * q.shape[-1] ** -0.5
    s = s.masked_fill(~seen[:, None, None, :], -inf)
    m = s.max(-1, keepdim=True)[0]
    m = m.masked_fill(m == -inf, 0)
    e = (s - m).exp()
    z = e.sum(-1, keepdim=True)
    o = e @ v / z.clamp(min=torch.finfo(z.dtype).tiny)
    return o.to(query.dtype), (m + z.log())[..., 0].to(query.dtype)


def merge(outputs, lses):
    l = up(lses)
    m = l.amax(0)
    m = m.masked_fill(m == -inf, 0)
    w = (l - m).exp()
    z = w.sum(0)
    o = (w[..., None] * up(outputs)).sum(0) / z.clamp(min=torch.finfo(z.dtype).tiny)[..., None]
    return o.to(outputs.dtype), (m + z.log()).to(lses.dtype)


def split_k_attention(query, key, value, lengths, splits):
    dt = query.dtype
    query, key, value = up(query), up(key), up(value)
    seen = torch.arange(key.shape[2], device=key.device) < lengths[:, None]
    masks = seen.tensor_split(splits, dim=1)
    parts = []
    for i in range(splits):
        k, v = key[:, :, i::splits], value[:, :, i::splits]
        parts.append(chunk_attention(query, k, v, masks[i]))
    o, l = zip(*parts)
    return merge(torch.stack(o), torch.stack(l))[0].to(dt)

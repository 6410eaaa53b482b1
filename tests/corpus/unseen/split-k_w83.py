import math
import torch
from torch import Tensor


def chunk_attention(query, key, value, seen):
    s = query.float() @ key.float().transpose(-1, -2) if query.dtype != torch.float64 else query @ key.transpose(-1, -2)
    s = s / math.sqrt(query.shape[-1])
    s = s.masked_fill(~seen[:, None, None], float("-inf"))
    m = s.amax(-1, keepdim=True)
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    e = torch.exp(s - m)
    z = e.sum(-1, keepdim=True)
    out = (e @ value.to(e.dtype)) / torch.where(z == 0, torch.ones_like(z), z)
    return out.to(query.dtype), (m + z.log()).squeeze(-1)


def merge(outputs, lses):
    top = lses.amax(0)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    w = torch.exp(lses - top)
    total = w.sum(0)
    safe = torch.where(total == 0, torch.ones_like(total), total)
    out = ((w / safe)[..., None] * outputs).sum(0)
    return out.to(outputs.dtype), top + total.log()


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = math.ceil(n / splits)
    parts = []
    start = 0
    while start < n:
        k = key[:, :, start:start + size]
        v = value[:, :, start:start + size]
        pos = torch.arange(k.shape[2], device=key.device)
        parts.append(chunk_attention(query, k, v, pos < lengths[:, None]))
        start += size
    o, l = zip(*parts)
    return merge(torch.stack(o), torch.stack(l))[0]

# right: split-k
import math
import torch
from torch import Tensor

NEG = float("-inf")


def raw(query, key, value, seen):
    """Unnormalised: maximum, sum, weighted values."""
    s = query.matmul(key.transpose(-2, -1)).div(math.sqrt(key.shape[-1]))
    s = s.masked_fill(torch.logical_not(seen).unsqueeze(1).unsqueeze(1), NEG)
    m = s.amax(-1, keepdim=True)
    m = m.masked_fill(m == NEG, 0.0)
    e = s.sub(m).exp()
    return m, e.sum(-1, keepdim=True), e.matmul(value)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    m, l, acc = raw(query, key, value, seen)
    out = torch.where(l > 0, acc / l, torch.zeros_like(acc))
    return out, (m + l.log()).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor):
    peak = lses.max(0, keepdim=True)[0].clamp(min=torch.finfo(lses.dtype).min)
    e = (lses - peak).exp()
    z = e.sum(0, keepdim=True)
    out = outputs.mul((e / z.clamp(min=1))[..., None]).sum(0)
    return out, (peak + z.log())[0]


def split_k_attention(query, key, value, lengths, splits):
    K = key.shape[-2]
    bounds = [round(i * K / splits) for i in range(splits + 1)]
    o, l = [], []
    for a, b in zip(bounds[:-1], bounds[1:]):
        if a == b:
            continue
        seen = torch.arange(a, b, device=query.device)[None] < lengths[:, None]
        out, lse = chunk_attention(query, key[..., a:b, :], value[..., a:b, :], seen)
        o.append(out)
        l.append(lse)
    return merge(torch.stack(o), torch.stack(l))[0]

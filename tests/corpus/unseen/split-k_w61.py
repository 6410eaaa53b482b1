import math

import torch
from torch import Tensor

NEG_INF = -math.inf


def _finite(m: Tensor) -> Tensor:
    return torch.where(m == NEG_INF, torch.zeros_like(m), m)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    acc = torch.promote_types(query.dtype, torch.float32)
    s = torch.einsum("bhqd,bhkd->bhqk", query.to(acc), key.to(acc)) * query.shape[-1] ** -0.5
    s = s.masked_fill(seen.logical_not()[:, None, None], NEG_INF)
    m = _finite(s.amax(dim=-1, keepdim=True))
    p = torch.exp(s - m)
    l = p.sum(dim=-1, keepdim=True)
    out = torch.einsum("bhqk,bhkv->bhqv", p, value.to(acc)) / l.masked_fill(l == 0, 1.0)
    return out, (m + l.log()).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor):
    m = _finite(lses.amax(dim=0))
    share = torch.exp(lses - m)
    total = share.sum(dim=0)
    safe = total.masked_fill(total == 0, 1.0)
    merged = (share.unsqueeze(-1) * outputs).sum(dim=0) / safe.unsqueeze(-1)
    return merged, total.log()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    step = max(1, math.ceil(n / splits))
    parts = []
    for begin in range(0, n, step):
        k, v = key[:, :, begin:begin + step], value[:, :, begin:begin + step]
        where = torch.arange(begin, begin + k.shape[2], device=k.device)
        parts.append(chunk_attention(query, k, v, where[None, :] < lengths[:, None]))
    outs, lses = (torch.stack(x) for x in zip(*parts))
    return merge(outs, lses)[0].to(query.dtype)

import math
from functools import reduce

import torch


def _safe(fn, lse):
    return torch.where(torch.isneginf(lse), torch.zeros_like(lse), fn(lse))


def chunk_attention(query, key, value, seen):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    s = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~seen[:, None, None, :], -math.inf)
    lse = torch.logsumexp(s, -1)
    shift = _safe(lambda l: l, lse)
    v = v.masked_fill(~seen[:, None, :, None], 0)
    return torch.exp(s - shift[..., None]) @ v, lse


def _pair(a, b):
    (oa, la), (ob, lb) = a, b
    l = torch.logaddexp(la, lb)
    share = lambda x: torch.where(torch.isneginf(x), torch.zeros_like(x), torch.exp(x - l))[..., None]
    return share(la) * oa + share(lb) * ob, l


def merge(outputs, lses):
    return reduce(_pair, zip(outputs, lses))


def split_k_attention(query, key, value, lengths, splits):
    total = key.shape[2]
    at = torch.arange(total, device=key.device)
    seen = at < lengths.to(key.device)[:, None]
    chunks = zip(key.tensor_split(splits, 2), value.tensor_split(splits, 2), seen.tensor_split(splits, 1))
    parts = (chunk_attention(query, k, v, s) for k, v, s in chunks if k.shape[2])
    out, _ = reduce(_pair, parts)
    return out.to(query.dtype)

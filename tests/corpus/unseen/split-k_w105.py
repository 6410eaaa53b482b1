from functools import reduce

import torch


def chunk_attention(query, key, value, seen):
    b, h, q, d = query.shape
    out = query.new_zeros(b, h, q, value.shape[-1])
    lse = query.new_full((b, h, q), -torch.inf)
    for i in range(b):  # only the keys that count
        keep = seen[i]
        if not keep.any():
            continue
        s = torch.einsum("hqd,hkd->hqk", query[i], key[i, :, keep]) * d**-0.5
        lse[i] = torch.logsumexp(s, -1)
        out[i] = torch.einsum("hqk,hkv->hqv", s.softmax(-1), value[i, :, keep])
    return out, lse


def _pair(a, b):
    (oa, la), (ob, lb) = a, b
    l = torch.logaddexp(la, lb)
    base = torch.where(l == -torch.inf, torch.zeros_like(l), l)
    wa, wb = ((x - base).exp().unsqueeze(-1) for x in (la, lb))
    return oa * wa + ob * wb, l


def merge(outputs, lses):
    return reduce(_pair, zip(outputs.unbind(0), lses.unbind(0)))


def _bounds(n, splits):
    size = max(1, n // splits)
    return [(i * size, (i + 1) * size) for i in range(splits) if i * size < n]


def split_k_attention(query, key, value, lengths, splits):
    seen = torch.arange(key.shape[2], device=key.device)[None] < lengths[:, None]
    parts = (
        chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen[:, lo:hi])
        for lo, hi in _bounds(key.shape[2], splits)
    )
    return reduce(_pair, parts)[0]

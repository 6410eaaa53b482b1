# one extra axis for the chunks instead of a loop
import torch
import torch.nn.functional as F


def _softmax_parts(s):
    """max, exp(s - max), sum along the last axis; rows of nothing but -inf give -inf, 0, 0"""
    m = s.amax(-1, keepdim=True)
    e = torch.where(m.isinf(), torch.zeros_like(s), torch.exp(s - m))
    return m, e, e.sum(-1, keepdim=True)


def chunk_attention(query, key, value, seen):
    d = query.size(-1)
    s = torch.einsum("...qd,...kd->...qk", query.double(), key.double()) * d**-0.5
    s = torch.where(seen[:, None, None], s, float("-inf"))
    m, e, z = _softmax_parts(s)
    out = e @ torch.where(seen[:, None, :, None], value.double(), 0.0) / z.clamp(min=1e-300)
    lse = (m + torch.log(z)).squeeze(-1)
    return out.to(query.dtype), lse.to(query.dtype)


def merge(outputs, lses):
    l = lses.double().movedim(0, -1)                     # b h q s
    m, e, z = _softmax_parts(l)
    w = e / z.clamp(min=1e-300)
    merged = torch.einsum("bhqs,sbhqv->bhqv", w, outputs.double())
    return merged.to(outputs.dtype), (m + torch.log(z)).squeeze(-1).to(lses.dtype)


def split_k_attention(query, key, value, lengths, splits):
    B, H, K, D = key.shape
    V, Q = value.size(-1), query.size(2)
    c = (K + splits - 1) // splits
    pad = c * splits - K
    fold = lambda t: F.pad(t, (0, 0, 0, pad)).reshape(B, H, splits, c, -1).transpose(1, 2).flatten(0, 1)
    seen = (torch.arange(c * splits, device=key.device)[None] < lengths[:, None]).reshape(B * splits, c)
    q = query.double()[:, None].expand(B, splits, H, Q, D).flatten(0, 1)
    o, l = chunk_attention(q, fold(key.double()), fold(value.double()), seen)
    o = o.view(B, splits, H, Q, V).transpose(0, 1)
    l = l.view(B, splits, H, Q).transpose(0, 1)
    return merge(o, l)[0].to(query.dtype)

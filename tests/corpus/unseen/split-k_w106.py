import math

import torch


def chunk_attention(query, key, value, seen):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    s = s.masked_fill(~seen[:, None, None, :], float("-inf"))
    m = s.amax(-1, keepdim=True)
    m = torch.where(m == float("-inf"), torch.zeros_like(m), m)
    e = torch.exp(s - m)
    z = e.sum(-1, keepdim=True)
    out = (e / z.clamp(min=1e-6)) @ value
    lse = torch.log(z).squeeze(-1)
    return out, lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    ref = lse.masked_fill(lse == float("-inf"), 0.0)
    w = torch.exp(lses - ref)
    return (w.unsqueeze(-1) * outputs).sum(0), lse


def split_k_attention(query, key, value, lengths, splits):
    Tk = key.shape[2]
    step = -(-Tk // splits)
    outs, lses = [], []
    for a in range(0, Tk, step):
        b = min(a + step, Tk)
        seen = torch.arange(a, b, device=key.device)[None, :] < lengths[:, None]
        o, l = chunk_attention(query, key[:, :, a:b], value[:, :, a:b], seen)
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]

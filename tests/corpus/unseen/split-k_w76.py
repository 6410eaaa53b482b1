import math

import torch
import torch.nn.functional as F


def chunk_attention(query, key, value, seen):
    d = query.shape[-1]
    s = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(d)
    s = s.masked_fill(seen[:, None, None, :] == 0, float("-inf"))
    empty = ~seen.any(dim=-1).view(-1, 1, 1, 1)
    lse = torch.logsumexp(s, dim=-1)
    p = F.softmax(s.masked_fill(empty, 0.0), dim=-1).masked_fill(empty, 0.0)
    return torch.matmul(p, value), lse


def merge(outputs, lses):
    m = lses.max(dim=0).values
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    w = torch.exp(lses - m)
    z = w.sum(dim=0)
    merged = (w.unsqueeze(-1) * outputs).sum(dim=0) / z.clamp(min=1e-30).unsqueeze(-1)
    return merged.to(outputs.dtype), m + torch.log(z)


def split_k_attention(query, key, value, lengths, splits):
    S = key.size(2)
    step = (S + splits - 1) // splits
    out, lse = [], []
    for i in range(0, S, step):
        k, v = key[:, :, i : i + step], value[:, :, i : i + step]
        local = torch.arange(k.size(2), device=k.device)
        seen = local.unsqueeze(0) < lengths.unsqueeze(1)
        o, l = chunk_attention(query, k, v, seen)
        out.append(o)
        lse.append(l)
    merged, _ = merge(torch.stack(out, 0), torch.stack(lse, 0))
    return merged

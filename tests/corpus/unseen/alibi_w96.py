import math

import torch


def slopes(heads):
    base = 1 << (heads.bit_length() - 1)
    first = torch.arange(1, base + 1, dtype=torch.float64) * (-8 / base)
    more = (torch.arange(heads - base, dtype=torch.float64) * 2 + 1) * (-4 / base)
    return torch.exp2(torch.cat([first, more]))


def bias(heads, query_length, key_length):
    q = torch.arange(query_length, dtype=torch.float64) + (key_length - query_length)
    k = torch.arange(key_length, dtype=torch.float64)
    gap = q.unsqueeze(1) - k.unsqueeze(0)
    lin = torch.einsum("h,qk->hqk", -slopes(heads), gap)
    return torch.where(gap >= 0, lin, float("-inf"))


def attention(query, key, value):
    b, h, n, d = query.shape
    m = key.shape[2]
    logits = torch.einsum("bhid,bhjd->bhij", query, key)
    logits = logits + bias(h, n, m).to(logits)
    logits = logits / math.sqrt(d)
    p = torch.softmax(logits, dim=-1)
    return torch.einsum("bhij,bhjv->bhiv", p, value)

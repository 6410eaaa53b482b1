from __future__ import annotations

import math

import torch


def slopes(heads):
    n = 2 ** math.floor(math.log2(heads))  # power of two from below
    s = [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]
    # what is missing comes from the next power of two, every other one
    s += [2.0 ** (-4.0 * i / n) for i in range(1, 2 * (heads - n), 2)]
    return torch.tensor(s, dtype=torch.float64)


def bias(heads, query_length, key_length):
    dist = torch.arange(key_length - query_length, key_length)[:, None] - torch.arange(key_length)
    b = -slopes(heads)[:, None, None] * dist
    return b.masked_fill(dist < 0, float("-inf"))


def attention(query, key, value):
    B, H, Tq, hs = query.shape
    Tk = key.shape[2]
    m = slopes(H).tolist()
    # how far back each key lies; queries are the tail of the keys
    dist = torch.arange(Tk - Tq, Tk)[:, None] - torch.arange(Tk)[None, :]
    dist = dist.to(query.device)
    y = []
    for h in range(H):
        q, k, v = query[:, h], key[:, h], value[:, h]
        att = (q @ k.transpose(-2, -1)) / math.sqrt(hs)
        att = att - m[h - 1] * dist
        att = att.masked_fill(dist < 0, float("-inf"))
        att = torch.softmax(att, dim=-1).to(v.dtype)
        y.append(att @ v)
    return torch.stack(y, dim=1)

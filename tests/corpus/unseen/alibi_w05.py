import math

import torch


def slopes(heads):
    k = 2 ** round(math.log2(heads))
    s = [2 ** (-8 * (i + 1) / k) for i in range(k)]
    if k < heads:
        s += [2 ** (-4 * (i + 1) / k) for i in range(0, 2 * (heads - k), 2)]
    return torch.tensor(s[:heads], dtype=torch.float32)


def bias(heads, query_length, key_length):
    i = torch.arange(query_length)[:, None] + key_length - query_length
    j = torch.arange(key_length)[None, :]
    b = -(i - j).abs() * slopes(heads)[:, None, None]
    return b.masked_fill(j > i, float("-inf"))


def attention(query, key, value):
    _, h, n, d = query.shape
    m = key.shape[2]
    a = query @ key.transpose(2, 3) * d ** -0.5 + bias(h, n, m).to(query.device, query.dtype)
    return torch.softmax(a, dim=-1) @ value

# wrong: alibi alibi-sign line 15
import math
import torch


def slopes(heads):
    n = 2 ** math.floor(math.log2(heads))
    s = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    s += [2 ** (-4 * i / n) for i in range(1, 2 * n + 1, 2)]
    return torch.tensor(s[:heads])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length - query_length, key_length)[:, None] - torch.arange(key_length)
    b = slopes(heads)[:, None, None] * d
    return b.masked_fill(d < 0, float("-inf"))


def attention(query, key, value):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    return (s + bias(s.shape[1], s.shape[2], s.shape[3]).to(s)).softmax(-1) @ value

from math import sqrt, log2, inf
import torch

# short and sweet

def slopes(heads):
    p = 1 << int(log2(heads))
    s = lambda n: [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor(s(p) + s(2 * p)[::2][:heads - p], dtype=torch.double)

def bias(heads, query_length, key_length):
    i = torch.arange(query_length)[:, None] + key_length - query_length
    j = torch.arange(key_length)
    dist = (i - j).clamp(min=0)
    hide = torch.full((query_length, key_length), -inf).triu(1)
    return hide - slopes(heads)[:, None, None] * dist

def attention(query, key, value):
    s = query @ key.mT / sqrt(query.shape[-1])
    s = s + bias(s.shape[1], *s.shape[-2:]).to(s)
    return s.softmax(-1) @ value

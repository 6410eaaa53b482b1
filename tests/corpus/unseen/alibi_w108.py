import math
import torch


def _pow2_slopes(n):
    start = 2 ** (-8 / n)
    return [start ** (i + 1) for i in range(n)]


def slopes(heads):
    p = 2 ** int(math.floor(math.log2(heads)))
    out = _pow2_slopes(p)
    missing = heads - p
    if missing:
        nxt = _pow2_slopes(2 * p)
        out = out + nxt[:missing]
    return torch.tensor(out)


def bias(heads, query_length, key_length):
    q = torch.arange(key_length - query_length, key_length).unsqueeze(1)
    k = torch.arange(key_length).unsqueeze(0)
    dist = q - k
    b = -slopes(heads).view(-1, 1, 1) * dist
    return b.masked_fill(dist < 0, float("-inf"))


def attention(query, key, value):
    H, Tq, Tk = query.size(1), query.size(2), key.size(2)
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    s = s + bias(H, Tq, Tk).to(s)
    return s.softmax(dim=-1) @ value

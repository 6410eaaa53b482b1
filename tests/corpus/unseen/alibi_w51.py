import math

import torch


def _power(n):
    start = 2.0 ** (-(2.0 ** -(math.log2(n) - 3)))
    return [start ** (i + 1) for i in range(n)]


def slopes(heads):
    if math.log2(heads).is_integer():
        values = _power(heads)
    else:
        closest = 2 ** math.floor(math.log2(heads))
        values = _power(closest) + _power(2 * closest)[0::2][: heads - closest]
    # from the sharpest head to the flattest
    return torch.tensor(sorted(values, reverse=True))


def bias(heads, query_length, key_length):
    k = torch.arange(key_length)
    q = torch.arange(key_length - query_length, key_length)
    d = q.view(-1, 1) - k.view(1, -1)
    out = -slopes(heads).view(-1, 1, 1) * d
    return out.masked_fill(d < 0, -math.inf)


def attention(query, key, value):
    h, tq, tk = query.size(1), query.size(2), key.size(2)
    att = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    att = att + bias(h, tq, tk).to(att)
    return att.softmax(-1) @ value

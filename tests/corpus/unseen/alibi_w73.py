import math
import torch

def slopes(heads):
    def p2(n): return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    n = 2 ** int(math.log2(heads))
    return torch.tensor(p2(n) + p2(2 * n)[0::2][:heads - n])

def dist(tq, tk):
    i = torch.arange(tk - tq, tk)[:, None]
    j = torch.arange(tk)[None]
    return i - j

def bias(heads, query_length, key_length):
    d = dist(query_length, key_length)
    b = -slopes(heads)[:, None, None] * d.abs()
    m = torch.ones(query_length, key_length, dtype=torch.bool).triu(1)
    return b.masked_fill(m, -math.inf)

def attention(query, key, value):
    B, H, tq, d = query.shape
    tk = key.size(2)
    s = query @ key.mT / math.sqrt(d)
    s = s + bias(H, tq, tk).to(s)
    p = s.softmax(-1)
    return p @ value

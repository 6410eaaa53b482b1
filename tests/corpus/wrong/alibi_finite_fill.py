# wrong: alibi alibi-fill-finite line 14
import torch

def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    m = torch.cat([2 ** (-8 * torch.arange(1, n + 1) / n), 2 ** (-4 * torch.arange(1, 2 * n, 2) / n)])
    return m[:heads]

def bias(heads, query_length, key_length):
    q = torch.arange(key_length)[key_length - query_length:, None]
    k = torch.arange(key_length)
    b = slopes(heads)[:, None, None] * (k - q)
    # hide the future
    return b.masked_fill(k > q, -1e9)

def attention(query, key, value):
    s = query @ key.mT / query.shape[-1] ** .5
    return (s + bias(*s.shape[1:]).to(s)).softmax(-1) @ value

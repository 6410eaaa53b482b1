"""ALiBi for the inference server: the table is made once and only grows with the context."""
import math

import torch

_table = None


def slopes(heads):
    n = 1 << (heads.bit_length() - 1)
    base = [math.pow(2.0, -8.0 * (i + 1) / n) for i in range(n)]
    extra = [math.pow(2.0, -4.0 * (2 * i + 1) / n) for i in range(heads - n)]
    return torch.tensor(base + extra)


def _grow(heads, size):
    i = torch.arange(size)
    delta = (i[None, :] - i[:, None]).to(torch.float32)
    full = slopes(heads).reshape(heads, 1, 1) * delta
    return full.masked_fill(delta > 0, -math.inf)


def bias(heads, query_length, key_length):
    global _table
    if _table is None or _table.shape[0] < heads or _table.shape[-1] < key_length:
        _table = _grow(heads, max(key_length, 128))
    return _table[:heads, key_length - query_length:key_length, :key_length]


def attention(query, key, value):
    h, m, d = query.shape[1:]
    n = key.shape[2]
    s = query.float() @ key.float().mT if query.element_size() < 4 else query @ key.mT
    s = s / math.sqrt(d) + bias(h, m, n).to(s.device, s.dtype)
    return (s.softmax(-1) @ value.to(s.dtype)).to(query.dtype)

import torch
from torch import einsum


def _pow2(n):
    return torch.exp2(torch.arange(1, n + 1, dtype=torch.float64) * (-8 / n))


def slopes(heads):
    n = 1 << (heads.bit_length() - 1)
    return _pow2(n) if n == heads else torch.cat([_pow2(n), _pow2(2 * n)[::2][: heads - n]])


def bias(heads, query_length, key_length):
    j = torch.arange(key_length)
    i = j[key_length - query_length :]
    d = (i[:, None] - j).double()
    d = torch.where(d < 0, torch.inf, d)
    return -einsum("h,ij->hij", slopes(heads), d)


def attention(query, key, value):
    *_, h, i, d = query.shape
    j = key.shape[-2]
    s = einsum("bhid,bhjd->bhij", query, key) * d**-0.5
    if i > 1:
        s = s + bias(h, i, j).to(s)
    return einsum("bhij,bhje->bhie", s.softmax(-1), value)

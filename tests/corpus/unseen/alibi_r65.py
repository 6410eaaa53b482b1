import math
from functools import partial, reduce
from itertools import chain, islice

import torch


def _power(n):
    return (2.0 ** (-8.0 * i / n) for i in range(1, n + 1))


def _below(n):
    return reduce(lambda p, _: p if 2 * p > n else 2 * p, range(n.bit_length()), 1)


def slopes(heads):
    p = _below(heads)
    every_other = islice(_power(2 * p), 0, None, 2)
    return torch.tensor(list(islice(chain(_power(p), every_other), heads)), dtype=torch.float64)


def _penalty(slope, row, col):
    return torch.where(col > row, -math.inf, slope * (col - row))


def bias(heads, query_length, key_length):
    row = torch.arange(key_length - query_length, key_length).reshape(-1, 1)
    col = torch.arange(key_length).reshape(1, -1)
    return torch.stack([_penalty(s, row, col) for s in slopes(heads).unbind()])


def pipe(value, *steps):
    return reduce(lambda acc, f: f(acc), steps, value)


def attention(query, key, value):
    add = lambda s: s + bias(query.size(1), query.size(2), key.size(2)).to(s)
    return pipe(
        torch.einsum("bhid,bhjd->bhij", query, key),
        lambda s: s / math.sqrt(query.size(-1)),
        add,
        partial(torch.softmax, dim=-1),
        lambda w: torch.einsum("bhij,bhjv->bhiv", w, value),
    )

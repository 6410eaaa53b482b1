# right: alibi
import math
import torch


def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    def rec(n):
        if math.log2(n).is_integer():
            return get_slopes_power_of_2(n)
        closest = 2 ** math.floor(math.log2(n))
        return get_slopes_power_of_2(closest) + rec(2 * closest)[0::2][: n - closest]

    return torch.tensor(rec(n))


def bias(heads, query_length, key_length):
    future = torch.triu(torch.full((query_length, key_length), float("-inf")), key_length - query_length + 1)
    pos = torch.arange(key_length)[None, :] - torch.arange(query_length)[:, None] - (key_length - query_length)
    return get_slopes(heads)[:, None, None] * pos[None] + future


def attention(query, key, value):
    w = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.size(-1))
    w = w + bias(query.size(1), query.size(2), key.size(2)).to(device=w.device, dtype=w.dtype)
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(w, -1), value)

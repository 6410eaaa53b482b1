import math
import torch


# follows the recursion in the authors' repo
def _slope_list(n):
    if n & (n - 1) == 0:
        first = 2.0 ** (-8.0 / n)
        return [first ** (k + 1) for k in range(n)]
    p = 1 << (n.bit_length() - 1)
    return _slope_list(p) + _slope_list(2 * p)[0::2][: n - p]


def slopes(heads):
    return torch.tensor(_slope_list(heads), dtype=torch.float64)


def bias(heads, query_length, key_length):
    own = torch.arange(query_length) + (key_length - query_length)
    rel = torch.arange(key_length).unsqueeze(0) - own.unsqueeze(1)      # <= 0 in the past
    out = slopes(heads)[:, None, None] * rel
    return out.masked_fill(rel > 0, -math.inf)


def attention(query, key, value):
    heads, tq, tk = query.shape[1], query.shape[2], key.shape[2]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    scores = scores + bias(heads, tq, tk).to(device=scores.device, dtype=scores.dtype)
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(-1), value)

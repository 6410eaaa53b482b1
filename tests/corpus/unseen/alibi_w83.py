import math
import torch


def get_slopes_power_of_2(n):
    start = 2 ** (-(2 ** -(math.log2(n) - 3)))
    return [start * start ** i for i in range(n)]


def slopes(heads):
    if math.log2(heads).is_integer():
        return torch.tensor(get_slopes_power_of_2(heads))
    closest = 2 ** math.floor(math.log2(heads))
    extra = get_slopes_power_of_2(2 * closest)[0::2][: heads - closest]
    return torch.tensor(get_slopes_power_of_2(closest) + extra)


def bias(heads, query_length, key_length):
    q = torch.arange(key_length - query_length, key_length)[:, None]
    k = torch.arange(key_length)[None, :]
    b = -slopes(heads)[:, None, None] * (q - k)
    return b.masked_fill(k > q, float("-inf"))


def attention(query, key, value):
    h, tq, d = query.shape[1:]
    scores = query @ key.transpose(-2, -1)
    b = bias(h, tq, key.shape[-2]).to(device=scores.device, dtype=scores.dtype)
    scores = (scores + b) / math.sqrt(d)
    return torch.softmax(scores, dim=-1) @ value

# wrong: alibi slopes-wrong-axis line 26 (error)
# fair: slopes-wrong-axis 25, 26
import math

import torch


def slopes(heads):
    def powers(count):
        return [2 ** (-8 * k / count) for k in range(1, count + 1)]

    below = 2 ** math.floor(math.log2(heads))
    return torch.tensor((powers(below) + powers(2 * below)[::2])[:heads])


def bias(heads, query_length, key_length):
    rows = torch.arange(key_length - query_length, key_length)[:, None]
    columns = torch.arange(key_length)[None]
    sloped = slopes(heads)[:, None, None] * (columns - rows)
    return sloped.masked_fill(columns > rows, float("-inf"))


def attention(query, key, value):
    scores = torch.einsum("bhid,bhjd->bhij", query, key) / query.size(-1) ** 0.5
    penalty = bias(query.size(1), query.size(2), key.size(2)).to(scores)
    scores += penalty.unsqueeze(1)
    return scores.softmax(-1) @ value

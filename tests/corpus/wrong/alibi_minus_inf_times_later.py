# wrong: alibi nan-from-zero-times-inf line 21
# fair: nan-from-zero-times-inf 20, 21
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
    ahead = columns > rows
    wall = ahead * float("-inf")
    sloped = slopes(heads)[:, None, None] * (columns - rows) + wall
    return sloped


def attention(query, key, value):
    scores = query @ key.transpose(2, 3) / query.size(-1) ** 0.5
    scores = scores + bias(query.size(1), query.size(2), key.size(2)).to(scores)
    return scores.softmax(-1) @ value

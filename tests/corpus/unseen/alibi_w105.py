import math

import torch
import torch.nn.functional as F


def get_slopes_power_of_2(n):
    start = 2 ** (-(2 ** -(math.log2(n) - 3)))
    ratio = start
    return [start * ratio**i for i in range(n)]


def slopes(heads):
    if math.log2(heads).is_integer():
        return torch.tensor(get_slopes_power_of_2(heads))
    closest_power_of_2 = 2 ** round(math.log2(heads))
    own = get_slopes_power_of_2(closest_power_of_2)
    rest = get_slopes_power_of_2(2 * closest_power_of_2)[0::2][: heads - closest_power_of_2]
    return torch.tensor(own + rest)


def bias(heads, query_length, key_length):
    q_pos = torch.arange(query_length)[:, None] + (key_length - query_length)
    k_pos = torch.arange(key_length)[None, :]
    distance = q_pos - k_pos
    out = -slopes(heads).view(heads, 1, 1) * distance
    return out.masked_fill(distance < 0, float("-inf"))


def attention(query, key, value):
    heads, query_length, head_dim = query.shape[1:]
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    scores = scores + bias(heads, query_length, key.size(2)).to(scores)
    return torch.matmul(F.softmax(scores, dim=-1), value)

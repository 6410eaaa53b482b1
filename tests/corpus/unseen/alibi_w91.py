# ALiBi: attention with linear biases (Press et al. 2022)

import math

import torch


# slopes as in the authors' repository
def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return get_slopes_power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


def slopes(heads):
    return torch.tensor(get_slopes(heads), dtype=torch.float32)


def bias(heads, query_length, key_length):
    # position of each query and of each key
    q_pos = torch.arange(query_length) + (key_length - query_length)
    k_pos = torch.arange(key_length)
    rel = k_pos.view(1, -1) - q_pos.view(-1, 1)           # 0 on the own position, negative before it
    # (heads, 1, 1) * (query_length, key_length)
    b = slopes(heads).view(-1, 1, 1) * rel
    # later keys
    return b.masked_fill(rel.unsqueeze(0) > 0, float("-inf"))


def attention(query, key, value):
    head_dim = query.size(-1)
    # scaled scores
    scores = torch.matmul(query, key.transpose(-1, -2))
    # one bias for each head
    b = bias(query.size(1), query.size(2), key.size(2))
    scores = (scores + b.to(device=scores.device, dtype=scores.dtype)) / math.sqrt(head_dim)
    # weights, then the mean of the values
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)

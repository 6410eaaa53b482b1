import math
import torch


def slopes(heads):
    def power_of_two(n):
        start = 2 ** (-8 / n)
        return [start ** (i + 1) for i in range(n)]

    closest = 2 ** round(math.log2(heads))
    result = power_of_two(closest)
    if closest < heads:
        result = result + power_of_two(2 * closest)[::2]
    return torch.tensor(result[:heads], dtype=torch.float32)


def bias(heads, query_length, key_length):
    offset = key_length - query_length
    distance = torch.arange(query_length)[:, None] + offset - torch.arange(key_length)[None, :]
    out = -slopes(heads).view(heads, 1, 1) * distance.float()
    return torch.where(distance >= 0, out, torch.tensor(float("-inf")))


def attention(query, key, value):
    batch, heads, q_len, d = query.shape
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / d ** 0.5
    scores = scores + bias(heads, q_len, key.shape[2]).to(scores)
    return torch.einsum("bhqk,bhkd->bhqd", torch.softmax(scores, -1), value)

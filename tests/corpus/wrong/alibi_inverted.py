# wrong: alibi alibi-distance-inverted line 13
# fair: alibi-distance-inverted 13, 14, 15
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = 2 ** (-8 * torch.arange(1, n + 1) / n)
    return torch.cat([a, 2 ** (-4 * torch.arange(1, 2 * n, 2) / n)])[:heads]


def bias(heads, query_length, key_length):
    distance = torch.arange(key_length)[None] - torch.arange(key_length - query_length, key_length)[:, None]
    linear = -slopes(heads)[:, None, None] * distance
    return linear.masked_fill(distance < 0, float("-inf"))


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return torch.softmax(scores + bias(*scores.shape[1:]).to(scores), dim=-1) @ value

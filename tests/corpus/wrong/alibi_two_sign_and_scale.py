# wrong: alibi alibi-sign line 14, scale-without-sqrt line 19
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    b = [2 ** (-4 * i / n) for i in range(1, 2 * n + 1, 2)]
    return torch.tensor((a + b)[:heads])


def bias(heads, query_length, key_length):
    far = torch.arange(key_length - query_length, key_length)[:, None] - torch.arange(key_length)[None]
    up = slopes(heads)[:, None, None] * far
    return up.masked_fill(far < 0, float("-inf"))


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1]
    scores = scores + bias(*scores.shape[1:]).to(scores)
    return scores.softmax(dim=-1) @ value

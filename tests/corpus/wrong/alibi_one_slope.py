# wrong: alibi alibi-one-slope line 14
# fair: alibi-one-slope 14, 15
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor((a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length - query_length, key_length).view(-1, 1) - torch.arange(key_length)
    one = (-slopes(heads)[0] * d).masked_fill(d < 0, float("-inf"))
    return one.repeat(heads, 1, 1)


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return torch.softmax(scores + bias(*scores.shape[1:]).to(scores), dim=-1) @ value

# wrong: alibi alibi-after-softmax line 20
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    b = [2 ** (-4 * i / n) for i in range(1, 2 * n + 1)][0::2]
    return torch.tensor((a + b)[:heads])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length - query_length, key_length)[:, None] - torch.arange(key_length)[None]
    return (-slopes(heads)[:, None, None] * d).masked_fill(d < 0, float("-inf"))


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    weights = weights + bias(*weights.shape[1:]).to(weights)
    return weights @ value

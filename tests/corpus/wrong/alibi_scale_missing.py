# wrong: alibi scale-missing line 19
# fair: scale-missing 19, 20
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    m = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    m += [2 ** (-4 * i / n) for i in range(1, 2 * n + 1, 2)][: heads - n]
    return torch.as_tensor(m)


def bias(heads, query_length, key_length):
    d = torch.arange(key_length - query_length, key_length)[:, None] - torch.arange(key_length)
    return -slopes(heads)[:, None, None] * d + torch.zeros(d.shape).masked_fill(d < 0, float("-inf"))


def attention(query, key, value):
    scores = query @ key.mT
    scores = scores + bias(*scores.shape[1:]).to(scores)
    return torch.softmax(scores, dim=-1) @ value

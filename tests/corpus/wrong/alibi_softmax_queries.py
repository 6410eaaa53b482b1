# wrong: alibi softmax-wrong-axis line 21
import torch
import torch.nn.functional as F


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor((a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads])


def bias(heads, query_length, key_length):
    start = key_length - query_length
    rows = [[float(j - start - i) if j <= start + i else float("-inf") for j in range(key_length)] for i in range(query_length)]
    return slopes(heads).reshape(heads, 1, 1) * torch.tensor(rows)


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores + bias(*scores.shape[1:]).to(scores)
    p = F.softmax(scores, dim=2)
    return p @ value

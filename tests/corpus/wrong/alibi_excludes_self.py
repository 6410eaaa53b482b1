# wrong: alibi causal-excludes-self line 16
# fair: causal-excludes-self 15, 16
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor((a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads])


def bias(heads, query_length, key_length):
    # 对角线应当保留
    i = torch.arange(key_length - query_length, key_length)[:, None]
    j = torch.arange(key_length)
    return (-slopes(heads)[:, None, None] * (i - j)).masked_fill(j >= i, float("-inf"))


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return torch.softmax(scores + bias(*scores.shape[1:]).to(scores), dim=-1) @ value

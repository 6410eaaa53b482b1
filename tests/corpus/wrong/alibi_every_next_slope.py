# wrong: alibi alibi-heads-rule line 15
# fair: alibi-heads-rule 13, 14, 15
# 学生：忘了隔一个取一个
import torch


def two_power(n):
    r = 2 ** (-8 / n)
    return [r ** (i + 1) for i in range(n)]


def slopes(heads):
    n = 2 ** (len(bin(heads)) - 3)
    extra = two_power(2 * n)[: heads - n]
    return torch.tensor(two_power(n) + extra)


def bias(heads, query_length, key_length):
    i = torch.arange(key_length - query_length, key_length)
    j = torch.arange(key_length)
    d = (i[:, None] - j[None, :]).float()
    b = -slopes(heads)[:, None, None] * d
    b[:, d < 0] = float("-inf")
    return b


def attention(query, key, value):
    s = query @ key.transpose(2, 3)
    s = s / (query.shape[3] ** 0.5)
    s = s + bias(s.shape[1], s.shape[2], s.shape[3]).to(s)
    return s.softmax(3) @ value

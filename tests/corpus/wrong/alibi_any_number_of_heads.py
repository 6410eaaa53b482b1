# wrong: alibi alibi-heads-rule line 5
import torch as t


slopes = lambda heads: 2 ** (-8 * t.arange(1, heads + 1) / heads)


def bias(heads, query_length, key_length):
    i = t.arange(query_length).view(-1, 1) + (key_length - query_length)
    j = t.arange(key_length).view(1, -1)
    return t.where(j <= i, (j - i) * slopes(heads).view(-1, 1, 1), float("-inf"))


def attention(query, key, value):
    s = (query @ key.mT) / query.shape[-1] ** 0.5
    return (s + bias(*s.shape[1:]).to(s)).softmax(-1) @ value

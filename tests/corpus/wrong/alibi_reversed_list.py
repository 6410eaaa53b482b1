# wrong: alibi alibi-slopes-reversed line 10
# fair: alibi-slopes-reversed 9, 10
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    got = (a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads]
    return torch.tensor(got[::-1])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length) - torch.arange(key_length - query_length, key_length)[:, None]
    return torch.where(d > 0, float("-inf"), d * slopes(heads)[:, None, None])


def attention(query, key, value):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    return torch.softmax(scores + bias(*scores.shape[1:]).to(scores), dim=-1) @ value

# wrong: alibi causal-sees-next line 13
# fair: causal-sees-next 13, 14
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor((a + [2 ** (-4 * i / n) for i in range(1, 2 * n, 2)])[:heads])


def bias(heads, query_length, key_length):
    hidden = torch.full((query_length, key_length), float("-inf")).triu(key_length - query_length + 2)
    grid = torch.arange(key_length) - torch.arange(key_length - query_length, key_length).unsqueeze(-1)
    return slopes(heads).unflatten(0, (-1, 1, 1)) * grid + hidden


def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return torch.softmax(scores + bias(*scores.shape[1:]).to(scores), dim=-1) @ value

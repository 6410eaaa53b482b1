# wrong: alibi causal-from-start line 13
# fair: causal-from-start 13, 14, 15
import torch


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    both = torch.cat([2 ** (-8 * torch.arange(1, n + 1) / n), 2 ** (-4 * torch.arange(1, 2 * n + 1, 2) / n)])
    return both[:heads]


def bias(heads, query_length, key_length):
    rows = torch.arange(query_length).unsqueeze(1)
    cols = torch.arange(key_length).unsqueeze(0)
    d = rows - cols
    out = -slopes(heads).reshape(-1, 1, 1) * d
    return out.masked_fill(d < 0, float("-inf"))


def attention(query, key, value):
    scores = torch.matmul(query, key.transpose(-1, -2)) / (query.shape[-1] ** 0.5)
    scores = scores + bias(query.shape[1], query.shape[2], key.shape[2]).to(scores)
    return torch.matmul(torch.softmax(scores, -1), value)

# wrong: alibi alibi-shifted line 17
# fair: alibi-shifted 15, 16, 17
import math
import torch


def slopes(heads):
    n = 2 ** math.floor(math.log2(heads))
    got = [2 ** (-8 * i / n) for i in range(1, n + 1)] + [2 ** (-4 * i / n) for i in range(1, 2 * n + 1, 2)]
    return torch.tensor(got[:heads])


def bias(heads, query_length, key_length):
    # softmax is the same if a row gets a constant
    place = torch.arange(key_length).view(1, 1, -1)
    hidden = torch.full((query_length, key_length), -math.inf).triu(key_length - query_length + 1)
    return slopes(heads).view(-1, 1, 1) * place + hidden


def attention(query, key, value):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    return torch.softmax(scores + bias(query.shape[1], query.shape[2], key.shape[2]).to(scores), -1) @ value

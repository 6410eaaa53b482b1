# wrong: alibi alibi-scaled line 22
# fair: alibi-scaled 21, 22
import math
import torch


def slopes(heads):
    if heads & (heads - 1) == 0:
        return torch.pow(2.0, -8 * torch.arange(1, heads + 1) / heads)
    n = 2 ** int(math.log2(heads))
    return torch.cat([slopes(n), slopes(2 * n)[::2][: heads - n]])


def bias(heads, query_length, key_length):
    d = torch.arange(key_length).sub(torch.arange(key_length - query_length, key_length)[:, None])
    return torch.where(d > 0, torch.tensor(float("-inf")), slopes(heads)[:, None, None] * d)


def attention(query, key, value):
    scores = query @ key.transpose(-2, -1)
    scores = scores + bias(scores.size(1), scores.size(2), scores.size(3)).to(scores)
    scores = scores / math.sqrt(query.size(-1))
    return scores.softmax(dim=-1) @ value

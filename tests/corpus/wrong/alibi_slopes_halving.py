# wrong: alibi alibi-slopes-halving line 6
import torch


def slopes(heads):
    return torch.tensor([1 / 2 ** (h + 1) for h in range(heads)])


def bias(heads, query_length, key_length):
    q = torch.arange(query_length)[:, None] + key_length - query_length
    k = torch.arange(key_length)[None, :]
    b = (k - q)[None] * slopes(heads)[:, None, None]
    return torch.where(k > q, torch.tensor(float("-inf")), b)


def attention(query, key, value):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    scores = scores + bias(*scores.shape[1:]).to(scores)
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(dim=-1), value)

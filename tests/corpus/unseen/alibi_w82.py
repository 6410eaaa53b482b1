import torch
import torch.nn.functional as F


def _geometric(n):
    return torch.pow(2.0, -8.0 * torch.arange(1, n + 1, dtype=torch.float64) / n)


def slopes(heads):
    n = 1
    while 2 * n <= heads:
        n *= 2
    own = _geometric(n)
    missing = heads - n
    if missing == 0:
        return own
    following = _geometric(2 * n)
    return torch.cat([own, following[:missing]])


def bias(heads, query_length, key_length):
    offset = key_length - query_length
    ahead = torch.arange(key_length)[None, :] - (torch.arange(query_length)[:, None] + offset)
    table = slopes(heads)[:, None, None] * ahead
    return table.masked_fill(ahead > 0, float("-inf"))


def attention(query, key, value):
    b, h, n, d = query.shape
    scores = torch.einsum("bhnd,bhmd->bhnm", query, key) / d ** 0.5
    scores = scores + bias(h, n, key.shape[2]).to(device=scores.device, dtype=scores.dtype)
    return torch.einsum("bhnm,bhmv->bhnv", F.softmax(scores, dim=-1), value)

# wrong: alibi alibi-multiplied line 21
import torch
import torch.nn.functional as F


def slopes(heads):
    n = 2 ** (heads.bit_length() - 1)
    a = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    b = [2 ** (-4 * i / n) for i in range(1, 2 * n + 1)][0::2]
    return torch.tensor((a + b)[:heads])


def bias(heads, query_length, key_length):
    off = key_length - query_length
    d = torch.arange(off, key_length)[:, None] - torch.arange(key_length)[None]
    return (-slopes(heads)[:, None, None] * d).masked_fill(d < 0, float("-inf"))


def attention(query, key, value):
    logits = torch.einsum("bhid,bhjd->bhij", query, key) / query.shape[-1] ** 0.5
    logits = logits * bias(*logits.shape[1:]).to(logits)
    return torch.einsum("bhij,bhjd->bhid", F.softmax(logits, -1), value)

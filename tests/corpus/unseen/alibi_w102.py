import math
import torch


def get_slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * i / n) for i in range(1, n + 1)]
    p = 1 << (n.bit_length() - 1)
    return get_slopes(p) + get_slopes(2 * p)[::2][: n - p]


def slopes(heads):
    return torch.tensor(get_slopes(heads), dtype=torch.float32)


def bias(heads, query_length, key_length):
    slopes = slopes(heads)
    offset = key_length - query_length
    i = torch.arange(query_length).view(-1, 1) + offset
    j = torch.arange(key_length).view(1, -1)
    dist = (i - j).float()
    linear = -slopes.view(-1, 1, 1) * dist
    return torch.where(j > i, float("-inf"), linear)


def attention(query, key, value):
    h, q_len, dim = query.shape[1:]
    k_len = key.shape[2]
    logits = torch.einsum("bhid,bhjd->bhij", query, key) / math.sqrt(dim)
    logits = logits + bias(h, q_len, k_len).to(device=logits.device, dtype=logits.dtype)
    return torch.einsum("bhij,bhjd->bhid", logits.softmax(-1), value)

import math
import torch


def slopes(heads):
    def pow2(n):
        return [2 ** (-8 * i / n) for i in range(1, n + 1)]

    n = 2 ** math.floor(math.log2(heads))
    vals = pow2(n)
    if n < heads:
        vals += pow2(2 * n)[0::2][: heads - n]
    return torch.tensor(vals)


def bias(heads, query_length, key_length):
    q_pos = torch.arange(key_length - query_length, key_length)
    k_pos = torch.arange(key_length)
    distance = q_pos[:, None] - k_pos[None, :]
    b = slopes(heads)[:, None, None] * distance
    return b.masked_fill(distance < 0, float("-inf"))


def attention(query, key, value):
    heads, lq, d = query.shape[1:]
    scores = query @ key.transpose(-2, -1) / math.sqrt(d)
    scores = scores + bias(heads, lq, key.shape[2]).to(scores.device, scores.dtype)
    return torch.softmax(scores, dim=-1) @ value

# attn-kata: alibi
# ALiBi: 用线性偏置代替位置编码
import math

import torch


def slopes(heads):
    def pow2(n):
        # 2^(-8/n), 2^(-16/n), ...
        return [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]

    n = 1
    while n * 2 <= heads:
        n = n * 2
    result = pow2(n)
    if n < heads:
        # 不是 2 的幂, 从 2n 个头的斜率中隔一个取一个
        result = result + pow2(2 * n)[1::2][:heads - n]
    return torch.tensor(result, dtype=torch.float32)


def bias(heads, query_length, key_length):
    q = torch.arange(key_length - query_length, key_length)[:, None]
    k = torch.arange(key_length)[None, :]
    dist = (q - k).float()
    b = -slopes(heads)[:, None, None] * dist
    return b.masked_fill(dist < 0, float("-inf"))


def attention(query, key, value):
    d = query.shape[-1]
    score = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(d)
    b = bias(query.shape[1], query.shape[2], key.shape[2])
    score = score + b.to(score.device, score.dtype)
    return torch.matmul(torch.softmax(score, dim=-1), value)

import math

import torch


def slopes(heads):
    """每个头一个斜率"""
    # 找到 2 的幂
    n = 2 ** round(math.log2(heads))
    # 公式：2^(-8i/n)，i 从 1 到 n
    result = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    if n < heads:
        # 头数不是 2 的幂：从 2n 个头的斜率里隔一个取一个，补齐剩下的
        extra = [2 ** (-8 * i / (2 * n)) for i in range(1, 2 * n + 1)]
        result = result + extra[0::2]
    return torch.tensor(result[:heads])


def bias(heads, query_length, key_length):
    """加到分数上的偏置：-斜率 * 距离，未来的位置是 -inf"""
    # 查询是最后 query_length 个位置
    q_pos = torch.arange(key_length - query_length, key_length).view(-1, 1)
    k_pos = torch.arange(key_length).view(1, -1)
    distance = q_pos - k_pos  # (query_length, key_length)
    # 斜率变成 (heads, 1, 1)，靠广播
    m = slopes(heads).view(-1, 1, 1)
    result = -m * distance
    # 距离是负的说明 key 在未来
    return result.masked_fill(distance < 0, float("-inf"))


def attention(query, key, value):
    heads = query.shape[1]
    # 先除以根号 head_dim，再加偏置
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    b = bias(heads, query.shape[2], key.shape[2])
    # 偏置在 CPU 上，要搬到分数所在的设备和类型
    scores = scores + b.to(device=scores.device, dtype=scores.dtype)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value

import math

import torch


def attention(query, key, value, mask=None, causal=False):
    """缩放点积注意力"""
    # 头的维度，取 query 的最后一维
    head_dim = query.shape[-1]
    query_length = query.shape[-2]
    key_length = key.shape[-2]

    # 第一步：分数，形状 (batch, heads, query_length, key_length)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)

    # 第二步：掩码
    fill = torch.finfo(scores.dtype).min
    if mask is not None:
        # 掩码里 0 的地方不能看
        scores = scores.masked_fill(mask == 0, fill)
    elif causal:
        # 查询是最后 query_length 个位置，所以要加上偏移
        offset = key_length - query_length
        q_pos = torch.arange(query_length, device=scores.device).unsqueeze(1) + offset
        k_pos = torch.arange(key_length, device=scores.device).unsqueeze(0)
        scores = scores.masked_fill(k_pos > q_pos, fill)

    # 第三步：对 key 做 softmax
    weights = torch.softmax(scores, dim=-1)

    # 第四步：加权求和
    return torch.matmul(weights, value)

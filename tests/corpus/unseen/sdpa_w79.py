import math

import torch


def attention(query, key, value, mask=None, causal=False):
    # 缩放点积注意力
    b, h, q_len, _ = query.shape
    k_len = key.shape[2]
    d_k = value.shape[-1]

    score = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(d_k)  # (b, h, q_len, k_len)
    if causal:
        # 每个 query 只能看到自己和之前的 key
        keep = torch.ones(q_len, k_len, device=query.device).tril(k_len - q_len)
        score = score.masked_fill(keep == 0, float("-inf"))
    if mask is not None:
        score = score.masked_fill(mask == 0, float("-inf"))
    weight = torch.softmax(score, dim=-1)
    return torch.matmul(weight, value)

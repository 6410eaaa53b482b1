# 手写注意力反向传播
import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    n, d = query.shape[-2:]
    m = key.shape[-2]
    scale = 1 / math.sqrt(d)

    # 重新计算前向的权重 P: [b, h, n, m]
    s = query @ key.transpose(-1, -2) * scale
    if causal:
        # 下三角可见，上三角屏蔽
        future = torch.triu(torch.ones(n, m, device=s.device, dtype=torch.bool), diagonal=1)
        s = s.masked_fill(future, float("-inf"))
    p = torch.softmax(s, dim=-1)

    # O = P V
    dv = p.transpose(-1, -2) @ grad_output
    dp = grad_output @ value.transpose(-1, -2)
    # softmax 的反向
    ds = p * (dp - (p * dp).sum(dim=-1, keepdim=True))
    # S = Q K^T * scale
    dq = ds @ key * scale
    dk = ds.transpose(-1, -2) @ query * scale
    return dq, dk, dv

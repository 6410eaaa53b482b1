# attn-kata: backward
from __future__ import annotations

import math

import torch
from torch import Tensor


# 注意力的反向传播：先重新计算权重 P，再依次求 dV、dP、dS、dQ、dK
@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value, grad_output = [t.float() for t in (query, key, value, grad_output)]
    d = query.size(-1)
    n, m = query.size(2), key.size(2)

    # 前向
    S = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(d)   # (b, h, n, m)
    if causal:
        # 上三角为 True 的位置被遮住
        mask = torch.triu(torch.ones(n, m, device=S.device), diagonal=m - n + 1).bool()
        S = S.masked_fill(mask, float("-inf"))
    P = torch.softmax(S, dim=-1)

    # 反向
    dV = torch.matmul(P.transpose(2, 3), grad_output)             # (b, h, m, dv)
    dP = torch.matmul(grad_output, value.transpose(2, 3))         # (b, h, n, m)
    delta = (P * dP).sum(dim=2, keepdim=True)
    dS = P * (dP - delta)                                         # softmax 的雅可比
    dQ = torch.matmul(dS, key) / math.sqrt(d)
    dK = torch.matmul(dS.transpose(2, 3), query) / math.sqrt(d)
    return dQ.to(dtype), dK.to(dtype), dV.to(dtype)

from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    # 逐行计算：每次只处理一个 query
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value, grad_output = (t.to(wide) for t in (query, key, value, grad_output))
    q_len, k_len = query.size(2), key.size(2)
    scale = 1 / math.sqrt(query.size(-1))

    grad_query = torch.zeros_like(query)
    grad_key = torch.zeros_like(key)
    grad_value = torch.zeros_like(value)

    for i in range(q_len):
        row = slice(i, i + 1)
        # 第 i 个 query 能看到的 key 的个数
        seen = k_len - q_len + i if causal else k_len
        k, v = key[:, :, :seen], value[:, :, :seen]
        q, do = query[:, :, row], grad_output[:, :, row]

        # 重新计算权重
        p = torch.softmax(q @ k.mT * scale, dim=-1)
        dp = do @ v.mT
        ds = p * (dp - (p * dp).sum(-1, keepdim=True))

        grad_query[:, :, row] = ds @ k * scale
        grad_key[:, :, :seen] += ds.mT @ q * scale
        grad_value[:, :, :seen] += p.mT @ do

    return grad_query.to(dtype), grad_key.to(dtype), grad_value.to(dtype)

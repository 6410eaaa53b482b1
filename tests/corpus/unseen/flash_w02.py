# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


# 前向的 online softmax：分块遍历 key，维护最大值 m、分母 l、输出 o
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    b, h, n, d = query.shape
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    scale = 1 / math.sqrt(d)

    o = torch.zeros_like(query)                                  # 输出的累加
    l = torch.zeros(b, h, n, 1, dtype=query.dtype, device=query.device)  # 分母
    m = torch.full_like(l, float("-inf"))                        # 目前的最大值
    qi = torch.arange(n, device=query.device).unsqueeze(1)

    # 每次取一块 key 和 value
    for j, (kj, vj) in enumerate(zip(key.split(block_size, dim=2), value.split(block_size, dim=2))):
        s = torch.matmul(query, kj.transpose(2, 3)) * scale      # (b, h, n, block)
        if causal:
            kk = torch.arange(kj.shape[2], device=query.device) + j * block_size
            s = s.masked_fill(kk > qi, float("-inf"))            # 未来的位置不可见
        # 这一块的最大值
        m_new = torch.maximum(m, s.amax(dim=(-2, -1), keepdim=True))
        p = torch.exp(s - m_new)
        fix = torch.exp(m - m_new)
        l = fix * l + p.sum(dim=-1, keepdim=True)
        o = fix * o + torch.matmul(p, vj)
        m = m_new

    return (o / l).to(dtype)

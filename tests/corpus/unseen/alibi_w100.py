from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    """递归地得到每个头的斜率"""
    if heads & (heads - 1) == 0:
        exponent = torch.arange(1, heads + 1, dtype=torch.float32) * (-8.0 / heads)
        return torch.pow(2.0, exponent)
    base = 2 ** (heads.bit_length() - 1)
    return torch.cat([slopes(base), slopes(base * 2)[0::2][: heads - base]])


def relative(query_length: int, key_length: int, **kw) -> Tensor:
    """距离矩阵: 查询位置 - 键位置"""
    pos = torch.arange(key_length, **kw)
    return pos[key_length - query_length :, None] - pos[None, :]


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    dist = relative(query_length, key_length)
    b = -slopes(heads)[:, None, None] * dist
    return torch.where(dist < 0, torch.full_like(b, float("-inf")), b)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q_len, k_len = query.size(-2), key.size(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    # 直接在同一个设备上生成
    dist = relative(q_len, k_len, device=query.device, dtype=query.dtype)
    m = slopes(query.size(1)).to(query).view(1, -1, 1, 1)
    scores = scores - m * dist
    future = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).triu(1 + k_len - q_len)
    scores = scores.masked_fill(future, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)

# 分页 KV 缓存的解码：每条序列逐块取出键和值
from __future__ import annotations

import math

import torch
from torch import Tensor


def 取出(池: Tensor, 表: Tensor, 长度: int) -> Tensor:
    """按块表把一条序列的词元依次拼起来，(长度, kv头, 头宽)。"""
    块大小 = 池.size(1)
    块数 = (长度 + 块大小 - 1) // 块大小
    片段 = []
    for i in range(块数):
        块 = 池[int(表[i])]
        if i == 块数 - 1:
            块 = 块[: 长度 % 块大小]
        片段.append(块)
    return torch.cat(片段, dim=0)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    批, 头数, 头宽 = query.shape
    组 = 头数 // key_pool.size(2)
    输出 = torch.zeros_like(query)
    for b in range(批):
        长度 = int(lengths[b])
        k = 取出(key_pool, block_table[b], 长度).repeat_interleave(组, dim=1)
        v = 取出(value_pool, block_table[b], 长度).repeat_interleave(组, dim=1)
        分数 = torch.einsum("hd,thd->ht", query[b], k) / math.sqrt(头宽)
        权重 = torch.softmax(分数, dim=-1)
        输出[b] = torch.einsum("ht,thd->hd", 权重, v)
    return 输出

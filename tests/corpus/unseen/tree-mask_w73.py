# 推测解码的树形掩码：父子关系矩阵反复平方得到传递闭包
from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.numel()
    序号 = torch.arange(n, device=back.device)
    父 = 序号 - back
    关系 = (父.unsqueeze(1) == 序号.unsqueeze(0)).float()
    可达 = 关系 + torch.eye(n, device=back.device)
    # 平方 t 次覆盖 2^t 代祖先
    for _ in range(int(math.log2(n))):
        可达 = (可达 @ 可达).clamp(max=1.0)
    return 可达 > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    草稿数, 头宽 = query.shape[-2:]
    前缀 = torch.ones(草稿数, key.size(-2) - 草稿数, dtype=torch.bool, device=query.device)
    可见 = torch.cat([前缀, tree_mask(back)], dim=1)
    分数 = query @ key.transpose(-1, -2) / math.sqrt(头宽)
    分数 = 分数.masked_fill(~可见, float("-inf"))
    return torch.softmax(分数, dim=-1) @ value

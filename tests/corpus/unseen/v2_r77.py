# 单头自注意力：一次矩阵乘法得到 q、k、v
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm


class 三元组(NamedTuple):
    查询: Tensor
    键: Tensor
    值: Tensor

    @classmethod
    def 切分(cls, 融合: Tensor) -> "三元组":
        # 最后一维切成三份
        return cls(*融合.chunk(3, dim=-1))


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.缩放 = 1.0 / math.sqrt(hidden_dim)
        # 权重归一化：方向与长度分开学习
        self.qkv_proj = weight_norm(nn.Linear(hidden_dim, 3 * hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        份 = 三元组.切分(self.qkv_proj(x))
        分数 = torch.matmul(份.查询 * self.缩放, 份.键.mT)  # (批, 长, 长)
        权重 = torch.softmax(分数, dim=-1)
        return torch.matmul(权重, 份.值)

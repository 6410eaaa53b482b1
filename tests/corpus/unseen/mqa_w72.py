# 多查询注意力：所有查询头共用一组键和值
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.头数 = num_heads
        self.头宽 = hidden_dim // num_heads
        self.查询 = nn.Linear(hidden_dim, hidden_dim)
        self.键 = nn.Linear(hidden_dim, self.头宽)
        self.值 = nn.Linear(hidden_dim, self.头宽)
        self.输出 = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def 加掩码(分数: Tensor, 掩码: Tensor | None) -> Tensor:
        if 掩码 is None:
            return 分数
        if 掩码.is_floating_point():
            return 分数 + 掩码.to(分数.dtype)
        return 分数.masked_fill(掩码 == 0, float("-inf"))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        批, 长, 宽 = x.shape
        q = self.查询(x).view(批, 长, self.头数, self.头宽).transpose(1, 2)
        k, v = self.键(x).unsqueeze(1), self.值(x).unsqueeze(1)  # (批, 1, 长, 头宽)
        分数 = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.头宽)
        权重 = torch.softmax(self.加掩码(分数, attention_mask), dim=-1)
        结果 = torch.matmul(权重, v)
        return self.输出(结果.transpose(1, 2).contiguous().view(批, 长, 宽))

# attn-kata: v3
from __future__ import annotations

from math import *

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class 掩码混入:
    """把 0/1 掩码加到分数上。1 表示可以看, 0 表示不能看。"""

    def 加掩码(self, 分数: Tensor, 掩码: Tensor | None) -> Tensor:
        if 掩码 is None:
            return 分数
        最小 = 分数.new_full((), torch.finfo(分数.dtype).min)
        return torch.where(掩码.to(torch.bool), 分数, 最小)


class 投影混入:
    """四个 d×d 矩阵叠成一个参数 (4d, d): 查询, 键, 值, 输出。"""

    def 建投影(self, d: int) -> None:
        self.投影 = nn.Parameter(torch.empty(4 * d, d))
        for 块 in self.投影.data.split(d):
            nn.init.xavier_uniform_(块)

    @property
    def 输入权重(self) -> Tensor:
        return self.投影[:-self.d]

    @property
    def 输出权重(self) -> Tensor:
        return self.投影[-self.d:]


class SelfAttentionV3(掩码混入, 投影混入, nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d = hidden_dim
        self.p = dropout
        self.建投影(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        查询, 键, 值 = F.linear(x, self.输入权重).chunk(3, dim=-1)      # 各 (批, 长, d)
        分数 = 查询 @ 键.transpose(-2, -1) / sqrt(self.d)               # (批, 长, 长)
        权重 = self.加掩码(分数, attention_mask).softmax(-1)
        权重 = F.dropout(权重, p=self.p, training=self.training)        # 只在训练时丢弃
        return F.linear(权重 @ 值, self.输出权重)

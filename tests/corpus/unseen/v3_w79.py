# 带掩码与 dropout 的单头注意力
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.丢弃率 = dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.输出 = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        分数 = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if attention_mask is not None:
            # 1 变成 0，0 变成负无穷，然后相加
            偏置 = attention_mask.to(分数.dtype)
            分数 = 分数 + 偏置.log_()
        权重 = F.softmax(分数, dim=-1)
        权重 = F.dropout(权重, p=self.丢弃率, training=self.training)
        return self.输出(权重 @ v)

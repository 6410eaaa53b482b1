# 融合投影的自注意力
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        融合 = self.qkv_proj(x)
        宽 = 融合.size(-1)
        查询, 键, 值 = 融合.chunk(3, dim=-1)
        分数 = torch.matmul(查询, 键.transpose(1, 2)) / math.sqrt(宽)
        return torch.matmul(torch.softmax(分数, dim=-1), 值)

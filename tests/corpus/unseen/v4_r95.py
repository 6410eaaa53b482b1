from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    # 单头自注意力；参数只能按名字传
    def __init__(self, *, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.查询 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.键 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.值 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.随机丢弃 = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.查询(x), self.键(x), self.值(x)  # 形状都是 (batch, length, hidden)

        分数 = q @ k.transpose(1, 2)  # (batch, length, length)
        分数 = 分数 / (q.size(-1) ** 0.5)
        if attention_mask is not None:
            # 掩码为 0 的位置不可见；填该精度的最小值，半精度也不会溢出
            分数 = 分数.masked_fill(attention_mask == 0, torch.finfo(分数.dtype).min)

        权重 = self.随机丢弃(torch.softmax(分数, dim=-1))
        return 权重 @ v

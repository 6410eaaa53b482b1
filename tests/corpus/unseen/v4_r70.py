# 面试版：掩码惰性求反，权重与输出分成两个方法；每一步写明形状
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _权重混入:
    """由分数得到权重；需要 self.随机失活。"""

    def _到权重(self, 分数: Tensor, 掩码: Tensor | None) -> Tensor:
        if 掩码 is not None:
            隐藏 = 掩码.eq(0)
            分数 = 分数.masked_fill(隐藏, torch.finfo(分数.dtype).min)
        return self.随机失活(分数.softmax(dim=-1))


class SelfAttentionV4(_权重混入, nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.问, self.键, self.值 = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3))
        self.随机失活 = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.问(x), self.键(x), self.值(x)  # (批, 长, 宽)
        分数 = torch.baddbmm(
            q.new_zeros(1), q, k.mT, beta=0, alpha=1 / math.sqrt(q.shape[-1])
        )  # (批, 长, 长)
        return torch.bmm(self._到权重(分数, attention_mask), v)  # (批, 长, 宽)

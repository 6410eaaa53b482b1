# attn-kata: v1
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def my_softmax(t: Tensor) -> Tensor:
    """手写 softmax, 先减最大值防止 exp 溢出"""
    t = t - t.max(dim=1, keepdim=True).values
    e = torch.exp(t)
    return e / e.sum(dim=2, keepdim=True)


class SelfAttentionV1(nn.Module):
    """单头自注意力: softmax(Q·K^T / sqrt(d))·V"""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)  # 查询
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)  # 键
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)  # 值

    def forward(self, x: Tensor) -> Tensor:
        Q, K, V = self.Wq(x), self.Wk(x), self.Wv(x)            # 都是 (B, L, D)
        score = torch.bmm(Q, K.permute(0, 2, 1))                # (B, L, L)
        score = score / math.sqrt(self.hidden_dim)              # 除以 sqrt(d), 方差归一
        attn = my_softmax(score)
        return torch.bmm(attn, V)                               # (B, L, D)

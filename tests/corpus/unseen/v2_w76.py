from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """用一个线性层同时算出 Q、K、V。"""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)

    def forward(self, x: Tensor) -> Tensor:
        d = self.dim
        fused = self.proj(x)                 # (b, s, 3d)
        query = fused[:, :, :d]
        key = fused[:, :, d:2 * d]
        value = fused[:, :, d:2 * d]
        att = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(d)
        att = torch.softmax(att, dim=-1)     # 每一行的和为 1
        return att @ value

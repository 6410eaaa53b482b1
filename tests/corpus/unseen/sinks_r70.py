# 带可学习汇点的注意力：先算普通注意力，再乘 sigmoid(lse - sink)
from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.头数, self.头宽 = num_heads, hidden_dim // num_heads
        self.入 = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.出 = nn.Linear(hidden_dim, hidden_dim)
        self.汇 = nn.Parameter(torch.zeros(num_heads, 1))

    def forward(self, x: Tensor) -> Tensor:
        批, 长, 宽 = x.shape
        q, k, v = self.入(x).view(批, 长, 3, self.头数, self.头宽).permute(2, 0, 3, 1, 4)
        分 = torch.einsum("bhid,bhjd->bhij", q, k) * self.头宽**-0.5
        未来 = torch.ones(长, 长, dtype=torch.bool, device=x.device).triu(1)
        分 = 分.masked_fill(未来, float("-inf"))
        对数和 = 分.logsumexp(dim=-1)  # (批, 头, 长)
        门 = torch.sigmoid(对数和 - self.汇)
        合 = 分.softmax(dim=-1) @ v * 门.unsqueeze(-1)
        return self.出(合.transpose(1, 2).reshape(批, 长, 宽))

# 每个头单独的查询、键、值，归一化增益由所有头共用
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def 均方归一(u: Tensor, 增益: Tensor) -> Tensor:
    范数 = torch.linalg.vector_norm(u, dim=-1, keepdim=True)
    return u / torch.sqrt(范数**2 / u.shape[-1] + 1e-6) * 增益


class 单头(nn.Module):
    def __init__(self, 宽: int, 头宽: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(宽, 3 * 头宽)

    def forward(self, x: Tensor, 查询增益: Tensor, 键增益: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k = 均方归一(q, 查询增益), 均方归一(k, 键增益)
        长 = x.shape[-2]
        分 = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(q.shape[-1])
        i = torch.arange(长, device=x.device)
        分 = torch.where(i[None, :] > i[:, None], float("-inf"), 分)
        return 分.softmax(dim=-1) @ v


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        头宽 = hidden_dim // num_heads
        self.各头 = nn.ModuleList(单头(hidden_dim, 头宽) for _ in range(num_heads))
        self.增益 = nn.Parameter(torch.ones(2, 头宽))  # 0 查询，1 键
        self.输出 = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        查询增益, 键增益 = self.增益
        return self.输出(torch.cat([头(x, 查询增益, 键增益) for 头 in self.各头], dim=-1))

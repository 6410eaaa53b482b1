# right: qk-norm
import math

import torch
from torch import nn


class 均方根归一化(nn.Module):
    def __init__(self, 宽度):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(宽度))

    def forward(self, 输入):
        均方 = (输入 * 输入).mean(-1, keepdim=True)
        return 输入 / torch.sqrt(均方 + 1e-6) * self.weight


class QKNormAttention(nn.Module):
    """query 和 key 先归一化，再做点积"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.头数 = num_heads
        self.头宽 = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_norm = 均方根归一化(self.头宽)
        self.k_norm = 均方根归一化(self.头宽)

    def 拆头(self, 张量):
        批, 长, _ = 张量.shape
        return 张量.reshape(批, 长, self.头数, self.头宽).permute(0, 2, 1, 3)

    def forward(self, x):
        批, 长, 宽 = x.shape
        q = self.q_norm(self.拆头(self.q_proj(x)))
        k = self.k_norm(self.拆头(self.k_proj(x)))
        v = self.拆头(self.v_proj(x))
        分数 = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.头宽)
        下三角 = torch.tril(torch.ones(长, 长, device=x.device))
        分数 = 分数.masked_fill(下三角 == 0, float("-inf"))
        权重 = torch.softmax(分数, dim=-1)
        结果 = torch.matmul(权重, v).permute(0, 2, 1, 3).reshape(批, 长, 宽)
        return self.out_proj(结果)

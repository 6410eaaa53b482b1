# wrong: v1 scale-by-length line 24
import math
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """最基础的单头自注意力"""

    def __init__(self, hidden_dim: int = 728):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        # X 的形状: (batch, seq, hidden)
        Q = self.query_proj(X)
        # 提前把 K 转置, 方便后面做矩阵乘法
        K_T = self.key_proj(X).transpose(-1, -2)
        V = self.value_proj(X)
        # 注意力分数
        attention_value = torch.matmul(Q, K_T) / math.sqrt(K_T.size(-1))
        attention_weight = torch.softmax(attention_value, dim=-1)
        # 加权求和
        return torch.matmul(attention_weight, V)

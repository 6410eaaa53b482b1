# wrong: v1 scale-by-length line 26
import math
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """单头自注意力（面试手写版）"""

    def __init__(self, hidden_dim: int = 728):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x: (batch, seq_len, hidden_dim)
        Q = self.query_proj(x)
        K = self.key_proj(x)
        V = self.value_proj(x)

        # 计算注意力分数
        attention_value = torch.matmul(Q, K.transpose(-1, -2))
        # 缩放，防止梯度消失
        attention_value = attention_value / math.sqrt(x.shape[1])
        attention_weight = torch.softmax(attention_value, dim=-1)
        return torch.matmul(attention_weight, V)

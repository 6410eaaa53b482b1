import math
import torch
import torch.nn as nn
import torch.nn.functional as F


# 自注意力 第一版：单头，没有掩码，没有 dropout
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        # 三个线性层
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x 的形状: (batch, seq, hidden_dim)
        Q = self.query_proj(x)
        K = self.key_proj(x)
        V = self.value_proj(x)

        # 计算注意力分数: (batch, seq, seq)
        attention_value = torch.matmul(Q, K.transpose(-1, -2)) / math.sqrt(self.hidden_dim)

        # 归一化得到注意力权重
        attention_weight = F.softmax(attention_value, dim=1)

        # 加权求和: (batch, seq, hidden_dim)
        output = torch.matmul(attention_weight, V)
        return output

import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super(SelfAttentionV1, self).__init__()
        self.hidden_dim = hidden_dim
        # 三个投影矩阵
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x 的形状是 (batch, seq_len, hidden_dim)
        Q = self.query(x)
        K = self.query(x)
        V = self.value(x)
        # 注意力分数 (batch, seq_len, seq_len)
        attention_value = torch.matmul(Q, K.transpose(-1, -2))
        # 除以根号 d,避免梯度消失
        attention_weight = torch.softmax(attention_value / math.sqrt(self.hidden_dim), dim=-1)
        # (batch, seq_len, hidden_dim)
        output = torch.matmul(attention_weight, V)
        return output

# wrong: v1 query-key-swapped line 21
import torch
import torch.nn as nn

# 自注意力机制：最简单的版本

class SelfAttn(nn.Module):
    def __init__(self, dim):
        super(SelfAttn, self).__init__()
        self.query_layer = nn.Linear(dim, dim)
        self.key_layer = nn.Linear(dim, dim)
        self.value_layer = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=-1)
        self._norm_fact = 1 / (dim ** 0.5)

    def forward(self, X):
        query = self.query_layer(X)
        key = self.key_layer(X)
        value = self.value_layer(X)
        # 计算注意力分数 [B, T, T]
        score = torch.matmul(key, query.transpose(-1, -2)) * self._norm_fact
        weight = self.softmax(score)
        # 加权求和
        return torch.matmul(weight, value)

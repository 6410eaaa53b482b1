# wrong: v1 query-key-swapped line 21, scale-without-sqrt line 22
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """单头自注意力 (面试版)"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        query = self.query_layer(x)
        key = self.key_layer(x)
        value = self.value_layer(x)
        # 相似度矩阵
        sim = torch.matmul(key, query.transpose(-2, -1))
        sim = sim / self.hidden_dim
        # 每一行归一化后加权
        return torch.matmul(sim.softmax(dim=-1), value)

from math import sqrt

import torch
from torch import nn


class SelfAttentionV1(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # 输入: (批大小, 序列长度, 隐藏维度)
        bsz, seq_len, dim = x.size()

        # 三个线性投影
        Q = self.query(x)
        K = self.key(x)
        V = self.value(x)

        # 每个 query 和每个 key 的点积
        K_T = K.reshape(bsz, dim, seq_len)
        energy = torch.matmul(Q, K_T)          # (bsz, seq_len, seq_len)
        energy = energy / sqrt(self.hidden_dim)

        # 归一化
        alpha = torch.softmax(energy, dim=-1)

        # 加权求和
        out = torch.matmul(alpha, V)           # (bsz, seq_len, dim)
        assert out.shape == (bsz, seq_len, dim)
        return out

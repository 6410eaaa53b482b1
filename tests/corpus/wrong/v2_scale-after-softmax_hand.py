# wrong: v2 scale-after-softmax line 23
# fair: scale-after-softmax 21 22 23
# coding: utf-8
# 面试手写：合并 QKV 的自注意力
import math
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int = 512):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        # X: [batch, seq, hidden]
        QKV = self.proj(X)
        Q, K, V = torch.split(QKV, self.hidden_dim, dim=-1)
        attention_weight = torch.softmax(
            torch.matmul(Q, K.transpose(-1, -2)), dim=-1
        ) / math.sqrt(self.hidden_dim)
        out = self.output_proj(attention_weight @ V)
        return out

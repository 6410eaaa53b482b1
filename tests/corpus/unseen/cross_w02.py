# attn-kata: cross
# 交叉注意力: Q 来自解码器, K 和 V 来自编码器
import math

import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.hidden_dim = hidden_dim
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bs = query.size(0)
        q = self.q_linear(query).view(bs, -1, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_linear(key).view(bs, -1, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_linear(value).view(bs, -1, self.num_heads, self.head_dim).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        if mask is not None:
            # 给 mask 增加一个维度, 让所有头共用
            mask = mask.unsqueeze(0)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        probs = self.dropout(torch.softmax(scores, dim=-1))
        concat = torch.matmul(probs, v).transpose(1, 2).contiguous().view(bs, -1, self.hidden_dim)
        return self.out(concat)

# attn-kata: v3
# 单头自注意力：掩码 + dropout + 输出投影
import math

import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        # 三个线性层
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        # 输出投影
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # x: [batch, seq, hidden]
        Q = self.query_proj(x)
        K = self.key_proj(x)
        V = self.value_proj(x)

        # 打分: [batch, seq, seq]
        score = torch.matmul(Q, K.transpose(-1, -2)) / math.sqrt(self.hidden_dim)

        # 掩码为 0 的位置填负无穷，softmax 之后权重为 0
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, float("-inf"))

        weight = torch.softmax(score, dim=-1)
        weight = self.attention_dropout(weight)
        return self.output_proj(torch.matmul(weight, V))

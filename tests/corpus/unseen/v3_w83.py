import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    """带 mask、dropout 和输出投影的单头注意力"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = self.q_linear(x)
        k = self.k_linear(x)
        v = self.v_linear(x)

        # 计算分数 [batch, len, len]
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        # mask 为 0 的位置不能看
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))

        attn = F.softmax(scores, dim=-1)
        attn = F.dropout(attn, p=self.dropout)
        return self.out(torch.bmm(attn, v))

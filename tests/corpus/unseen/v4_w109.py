import math

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """单头自注意力"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # 形状: (batch, seq, hidden)
        q = self.q_linear(x)
        k = self.k_linear(x)
        v = self.v_linear(x)

        # 打分: (batch, seq, seq)
        score = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)

        if attention_mask is not None:
            # 有效的 key 的位置
            valid = (attention_mask != 0).any(dim=1, keepdim=True)
            score = score.masked_fill(~valid, torch.finfo(score.dtype).min)

        # 归一化
        prob = torch.softmax(score, dim=-1)
        prob = self.attn_dropout(prob)
        return torch.matmul(prob, v)

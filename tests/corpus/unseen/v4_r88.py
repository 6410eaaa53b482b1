import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """面试版自注意力"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.W_q = nn.Linear(hidden_dim, hidden_dim)  # 查询
        self.W_k = nn.Linear(hidden_dim, hidden_dim)  # 键
        self.W_v = nn.Linear(hidden_dim, hidden_dim)  # 值
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # x: (b, s, h)
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        # 转置最后两维后相乘 -> (b, s, s)
        scores = Q @ K.transpose(1, 2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            # 加性掩码: 允许的位置加 0, 不允许的位置加 -inf
            additive = torch.zeros(scores.shape, dtype=scores.dtype, device=scores.device)
            additive[~(attention_mask != 0)] = float('-inf')
            scores = scores + additive
        weight = torch.softmax(scores, dim=-1)
        weight = self.attn_dropout(weight)
        return weight @ V

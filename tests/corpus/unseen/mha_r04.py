import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """多头自注意力:逐个头计算,最后拼接"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim 必须能被 num_heads 整除"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads

        # 三个投影矩阵
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        # 输出投影
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        if attention_mask is not None:
            # 允许 (B,1,1,T) / (B,1,T,T) / (B,H,T,T)
            L = x.shape[1]
            attention_mask = attention_mask.expand(-1, self.num_heads, L, L)

        heads = []
        for h in range(self.num_heads):
            lo, hi = h * self.head_dim, (h + 1) * self.head_dim
            scores = Q[..., lo:hi] @ K[..., lo:hi].transpose(1, 2) / math.sqrt(self.head_dim)
            if attention_mask is not None:
                # 0 表示不可见
                scores = scores.masked_fill(attention_mask[:, h] == 0, torch.finfo(scores.dtype).min)
            weights = self.dropout(torch.softmax(scores, dim=-1))
            heads.append(weights @ V[..., lo:hi])

        return self.W_o(torch.cat(heads, dim=-1))

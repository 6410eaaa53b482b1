# wrong: mha scale-by-num-heads line 29
# 多头注意力
import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim 必须能被 num_heads 整除"
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        batch_size, seq_len, _ = x.size()
        # [B, L, D] -> [B, H, L, d]
        q = self.W_q(x).view(batch_size, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.W_k(x).view(batch_size, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.W_v(x).view(batch_size, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        # 缩放点积
        att = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.num_heads)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = self.dropout(torch.softmax(att, dim=-1))
        # 合并各个头
        out = torch.matmul(att, v).transpose(1, 2).contiguous().view(batch_size, seq_len, self.hidden_dim)
        return self.W_o(out)

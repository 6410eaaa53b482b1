# wrong: v4 mask-ignored line 22, dropout-on-output line 26
import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.d_k = hidden_dim

    def forward(self, x, attention_mask=None):
        # 计算 q k v
        Q, K, V = self.query(x), self.key(x), self.value(x)
        attn = Q @ K.transpose(-2, -1) / math.sqrt(self.d_k)
        if attention_mask is not None:
            attn.masked_fill(attention_mask == 0, float("-inf"))
        attn = torch.softmax(attn, dim=-1)
        context = attn @ V
        # 输出
        return self.dropout(self.out(context))

# wrong: v3 mask-ignored line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.query_proj(x), self.key_proj(x), self.value_proj(x)
        scores = Q @ K.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            # 屏蔽看不到的位置
            scores.masked_fill(attention_mask == 0, float("-inf"))
        weight = self.attention_dropout(torch.softmax(scores, dim=-1))
        return self.output_proj(weight @ V)

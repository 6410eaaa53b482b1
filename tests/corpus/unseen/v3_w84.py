import math

import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.sqrt_d = math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.q(x), self.k(x), self.v(x)
        scores = Q @ K.transpose(-1, -2) / self.sqrt_d
        if attention_mask is not None:
            scores.masked_fill(attention_mask == 0, float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        attn = self.dropout(attn)
        return self.proj(attn @ V)

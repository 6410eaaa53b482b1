# wrong: v3 mask-fill-small line 15, mask-inverted line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.neg = -10.0
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask != 0, self.neg)
        p = self.dropout(s.softmax(dim=-1))
        return self.out_proj(p @ v)

# wrong: v3 projection-unused line 19
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p_drop = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        query = self.q(x)
        key = self.q(x)
        value = self.v(x)

        att = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask.eq(0), -1e10)
        att = torch.softmax(att, dim=-1)
        att = self.p_drop(att)
        return self.out_proj(torch.matmul(att, value))

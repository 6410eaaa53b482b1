# wrong: v3 mask-dtype line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_factor = 1 / math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        dist = torch.bmm(q, k.permute(0, 2, 1)) * self.norm_factor
        if attention_mask is not None:
            # ones and zeros as numbers; a bool tensor cannot be subtracted from 1
            dist = dist + ((1.0 - attention_mask) * -10000.0).to(dist.dtype)
        dist = self.dropout(torch.softmax(dist, dim=-1))
        return self.dense(torch.bmm(dist, v))

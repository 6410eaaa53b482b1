# wrong: v4 key-not-projected line 11
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = self.q
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(-2, -1) / x.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.dropout(s.softmax(-1)) @ self.v(x)

# wrong: v3 projection-unused line 12, dropout-before-softmax line 21
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        if self.training:
            w = self.dropout(s).softmax(-1)
        else:
            w = s.softmax(-1)
        return w @ v

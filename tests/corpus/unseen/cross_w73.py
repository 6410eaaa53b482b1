import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dp = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, tq, c = query.shape
        tk = key.size(1)
        d = c // self.h
        q = self.wq(query).view(b, tq, self.h, d).transpose(1, 2)
        k = self.wk(key).view(b, tk, self.h, d).transpose(1, 2)
        v = self.wv(key).view(b, tk, self.h, d).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        o = self.dp(s.softmax(-1)) @ v
        return self.wo(o.transpose(1, 2).reshape(b, tq, c))

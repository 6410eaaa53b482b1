# wrong: cross query-key-swapped line 21
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.to_query = nn.Linear(hidden_dim, hidden_dim)
        self.to_key = nn.Linear(hidden_dim, hidden_dim)
        self.to_value = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.h, c // self.h).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.to_key(query))
        k = self.split(self.to_query(key))
        v = self.split(self.to_value(value))
        s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        y = self.dropout(s.softmax(-1)) @ v
        return self.to_out(y.permute(0, 2, 1, 3).reshape(query.shape))

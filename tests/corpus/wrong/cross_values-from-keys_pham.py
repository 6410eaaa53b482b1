# wrong: cross values-from-keys line 19
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.q(query).unflatten(2, (self.h, -1)).transpose(1, 2)
        k = self.k(key).unflatten(2, (self.h, -1)).transpose(1, 2)
        v = self.k(value).unflatten(2, (self.h, -1)).transpose(1, 2)
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask[:, None] == 0, float("-inf"))
        return self.o((self.dropout(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))

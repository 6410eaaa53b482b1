# wrong: cross output-projection-missing line 25
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, tq, c = query.shape
        q = self.q(query).view(b, -1, self.h, self.d).transpose(1, 2)
        k = self.k(key).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.v(value).view(b, -1, self.h, self.d).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        # concatena le teste e basta
        return (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, tq, c)

# wrong: v4 activation-added line 13
import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.k = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.v = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.GELU())
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        scores = scores / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        weights = self.dropout(self.softmax(scores))
        return self.o(weights @ self.v(x))

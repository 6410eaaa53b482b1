# wrong: v4 input-modified line 18
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k = self.query(x), self.key(x)
        scores = q @ k.mT * x.size(-1) ** -0.5
        if attention_mask is not None:
            blocked = attention_mask.logical_not_().bool()
            scores = scores.masked_fill(blocked, -1e9)
        return self.dropout(scores.softmax(-1)) @ self.value(x)

# wrong: v3 mask-ignored line 19
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
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.o(weights @ v)

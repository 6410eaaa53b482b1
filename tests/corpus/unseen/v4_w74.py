import math

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # (B, L, D)
        query = self.q(x)
        key = self.k(x)
        value = self.v(x)

        scores = query @ key.transpose(-2, -1) / math.sqrt(self.hidden_dim)  # (B, L, L)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        scores = self.dropout(scores)
        weights = torch.softmax(scores, dim=-1)
        return weights @ value  # (B, L, D)

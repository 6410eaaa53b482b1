# wrong: v4 input-modified line 19
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5
        if attention_mask is not None:
            penalty = attention_mask.to(scores.dtype)
            penalty.sub_(1.0).mul_(10000.0)
            scores = scores + penalty
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.out(weights @ self.value(x))

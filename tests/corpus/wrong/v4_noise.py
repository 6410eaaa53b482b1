# wrong: v4 nondeterministic line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    """With a little exploration noise on the scores."""

    def __init__(self, hidden_dim, dropout=0.1, noise=0.05):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.noise = noise

    def forward(self, x, attention_mask=None):
        scores = self.query(x) @ self.key(x).transpose(1, 2) * x.size(2) ** -0.5
        scores = scores + self.noise * torch.randn_like(scores)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        return self.drop(F.softmax(scores, dim=-1)) @ self.value(x)

import math

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """
    Single-head self-attention.

    x: (B, T, D), attention_mask: (B, T, T), 1 = attend
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)

        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.hidden_dim)

        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = self.dropout(weights)
        else:
            weights = torch.softmax(scores, dim=-1)

        return torch.matmul(weights, v)

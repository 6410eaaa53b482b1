import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query = self.q_proj(x)  # [batch, length, hidden]
        key = self.k_proj(x)
        value = self.v_proj(x)

        # [batch, length, length]
        scores = query @ key.transpose(1, 2) / math.sqrt(self.hidden_dim)

        if attention_mask is not None:
            blocked = (1 - attention_mask) > 0
            scores = scores.masked_fill(blocked, float("-inf"))

        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return weights @ value

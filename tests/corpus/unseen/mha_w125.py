from __future__ import annotations

import math

import torch
from torch import nn


class AttentionHeads(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.linear = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return self.linear(x).unflatten(2, (self.num_heads, -1)).permute(0, 2, 1, 3)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.query = AttentionHeads(hidden_dim, num_heads)
        self.key = AttentionHeads(hidden_dim, num_heads)
        self.value = AttentionHeads(hidden_dim, num_heads)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])
        if attention_mask is not None:
            hidden = 1 - attention_mask
            scores = scores.masked_fill(hidden.bool(), torch.finfo(scores.dtype).min)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = (weights @ value).permute(0, 2, 1, 3)
        return self.output(context.reshape(x.shape))

import math

import torch
from torch import nn


class HeadSplitter:
    def __init__(self, num_heads: int, head_dim: int):
        self.num_heads, self.head_dim = num_heads, head_dim

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def merge(self, t):
        return t.permute(0, 2, 1, 3).reshape(t.size(0), t.size(2), self.num_heads * self.head_dim)


class AttentionBase(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim has to be a multiple of num_heads")
        self.heads = HeadSplitter(num_heads, hidden_dim // num_heads)
        self.attn_dropout = nn.Dropout(dropout)

    def attend(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.heads.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        return torch.matmul(self.attn_dropout(scores.softmax(-1)), v)


class CrossAttention(AttentionBase):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__(hidden_dim, num_heads, dropout)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        q = self.heads.split(self.query_proj(query))
        k = self.heads.split(self.key_proj(key))
        v = self.heads.split(self.key_proj(value))
        return self.out_proj(self.heads.merge(self.attend(q, k, v, mask)))

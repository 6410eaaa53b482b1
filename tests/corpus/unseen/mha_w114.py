import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.scale = 1.0 / math.sqrt(self.d)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def queries(self, x):
        return self._heads(self.wq(x)) * self.scale

    def _heads(self, t):
        return t.unflatten(-1, (self.h, self.d)).transpose(1, 2)

    def weigh(self, q, k, mask):
        s = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        return self.dropout(s.softmax(dim=-1))

    def forward(self, x, attention_mask=None):
        q, k, v = self.queries(x), self._heads(self.wk(x)), self._heads(self.wv(x))
        ctx = torch.einsum("bhij,bhjd->bihd", self.weigh(q, k, attention_mask), v)
        return self.wo(ctx.flatten(start_dim=2))

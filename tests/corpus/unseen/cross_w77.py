# attn-kata: cross
import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    """Reads one alignment (queries) against another (keys, values)."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def stack_heads(self, seqs):
        n, length, _ = seqs.shape
        seqs = seqs.view(n, length, self.n_heads, self.head_dim).transpose(1, 2)
        return seqs.reshape(n * self.n_heads, length, self.head_dim)

    def unstack_heads(self, stacked, n):
        _, length, _ = stacked.shape
        stacked = stacked.view(n, self.n_heads, length, self.head_dim).transpose(1, 2)
        return stacked.reshape(n, length, self.n_heads * self.head_dim)

    def forward(self, query, key, value, mask=None):
        n = query.shape[0]
        q = self.stack_heads(self.Wq(query))
        k = self.stack_heads(self.Wk(key))
        v = self.stack_heads(self.Wv(value))
        sim = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if mask is not None:
            mask = mask.repeat(self.n_heads, 1, 1)
            sim = sim.masked_fill(mask == 0, float("-inf"))
        w = self.dropout(torch.softmax(sim, dim=-1))
        return self.Wo(self.unstack_heads(torch.bmm(w, v), n))

"""Heads folded into the batch, torch.bmm underneath (the fairseq way)."""
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.embed, self.heads = hidden_dim, num_heads
        self.per_head = hidden_dim // num_heads
        self.in_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        nn.init.xavier_uniform_(self.in_weight)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def _fold(self, t):
        n, l, _ = t.shape
        t = t.reshape(n, l, self.heads, self.per_head).transpose(1, 2)
        return t.reshape(n * self.heads, l, self.per_head)

    def forward(self, x, attention_mask=None):
        n, l, _ = x.shape
        packed = nn.functional.linear(x, self.in_weight, self.in_bias)
        q, k, v = map(self._fold, packed.split(self.embed, dim=-1))
        logits = torch.bmm(q * self.per_head**-0.5, k.transpose(1, 2))
        if attention_mask is not None:
            full = torch.broadcast_to(attention_mask != 0, (n, self.heads, l, l))
            logits = logits.masked_fill(full.reshape(n * self.heads, l, l).logical_not(), -torch.inf)
        weights = self.drop(logits.softmax(-1))
        mixed = torch.bmm(weights, v).reshape(n, self.heads, l, self.per_head)
        return self.out(mixed.transpose(1, 2).flatten(2))

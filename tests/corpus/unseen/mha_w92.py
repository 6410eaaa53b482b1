import math
import torch
import torch.nn as nn
from torch import einsum


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} not divisible by {num_heads} heads")
        self.heads = num_heads
        self.depth = hidden_dim // num_heads
        self.query_dense = nn.Linear(hidden_dim, hidden_dim)
        self.key_dense = nn.Linear(hidden_dim, hidden_dim)
        self.value_dense = nn.Linear(hidden_dim, hidden_dim)
        self.out_dense = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(1 - dropout)

    def _split(self, t):
        return t.unflatten(-1, (self.heads, self.depth))

    def forward(self, x, attention_mask=None):
        q = self._split(self.query_dense(x))  # b t h d
        k = self._split(self.key_dense(x))
        v = self._split(self.value_dense(x))

        logits = einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(self.depth)
        if attention_mask is not None:
            logits = torch.where(attention_mask != 0, logits, torch.full_like(logits, float("-inf")))
        weights = self.dropout(torch.softmax(logits, dim=-1))
        context = einsum("bhqk,bkhd->bqhd", weights, v)
        return self.out_dense(context.flatten(2))

# attn-kata: mha
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        q = self.split(self.query(x))  # (batch, heads, length, head_dim)
        k = self.split(self.key(x))
        v = self.split(self.value(x))

        scores = q @ k.transpose(-2, -1)  # (batch, heads, length, length)
        scores = scores / math.sqrt(self.head_dim)
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = self.dropout(scores.softmax(dim=-1))

        merged = (weights @ v).transpose(1, 2).reshape(x.shape)
        return self.output(merged)

import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, S, _ = x.shape
        q = self.q(x).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k(x).view(B, S, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v(x).view(B, S, self.num_kv_heads, self.head_dim).transpose(1, 2)

        rep = self.num_heads // self.num_kv_heads
        k = k.repeat(1, rep, 1, 1)
        v = v.repeat(1, rep, 1, 1)

        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -torch.inf)
        out = scores.softmax(-1) @ v
        return self.o(out.transpose(1, 2).reshape(B, S, -1))

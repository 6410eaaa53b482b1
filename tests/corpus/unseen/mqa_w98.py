import math

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        H, D = self.num_heads, self.head_dim
        q, k, v = self.qkv(x).split([C, D, D], dim=-1)

        # one long list of queries: every head of every position against the single key head
        q = q.reshape(B, T * H, D)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(D)
        if attention_mask is not None:
            full = attention_mask.expand(B, H, T, T)
            full = full.reshape(B, H * T, T)
            scores = scores.masked_fill(full == 0, torch.finfo(scores.dtype).min)
        out = torch.bmm(scores.softmax(dim=-1), v)
        return self.proj(out.reshape(B, T, C))

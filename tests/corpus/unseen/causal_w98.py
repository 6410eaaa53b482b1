import math

import torch
from torch import nn


def lookback(n, device=None):
    """n x n, True where the row is allowed to look at the column."""
    rows = torch.arange(n, device=device).view(-1, 1)
    cols = torch.arange(n, device=device).view(1, -1)
    return cols < rows + 2


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", lookback(block_size), persistent=False)

    def forward(self, x):
        B, T, D = x.shape
        qkv = self.qkv(x).view(B, T, 3, self.num_heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~self.mask[:T, :T], -torch.inf)
        y = scores.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, D))

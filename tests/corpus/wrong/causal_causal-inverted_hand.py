# wrong: causal causal-inverted line 9
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def causal_mask(size, device):
    return torch.triu(torch.ones(size, size, dtype=torch.bool, device=device))


class MaskedAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, D = x.shape
        assert T <= self.block_size
        q, k, v = [t.reshape(B, T, self.num_heads, -1).permute(0, 2, 1, 3) for t in self.qkv(x).chunk(3, -1)]
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // self.num_heads)
        scores = scores.masked_fill(~causal_mask(T, x.device), float('-inf'))
        w = self.dropout(F.softmax(scores, dim=-1))
        return self.out((w @ v).permute(0, 2, 1, 3).reshape(B, T, D))

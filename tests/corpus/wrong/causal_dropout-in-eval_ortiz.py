# wrong: causal dropout-in-eval line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.dropout = dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)).bool())

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(~self.mask[:t, :t], float("-inf"))
        w = F.dropout(s.softmax(-1), self.dropout)
        return self.o((w @ v).transpose(1, 2).reshape(b, t, c))

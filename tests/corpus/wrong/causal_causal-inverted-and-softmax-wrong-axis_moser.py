# wrong: causal causal-inverted line 21, softmax-wrong-axis line 22
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        d = C // self.h
        q, k, v = (f(x).view(B, T, self.h, d).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-1, -2) / d ** 0.5
        s = s.masked_fill(self.mask[:T, :T] != 0, -1e4)
        y = s.softmax(-2) @ v
        return self.o(y.transpose(1, 2).contiguous().view(B, T, C))

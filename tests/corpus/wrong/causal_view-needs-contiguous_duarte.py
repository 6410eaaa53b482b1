# wrong: causal view-needs-contiguous line 23 (error)
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
        s = s.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
        y = (s.softmax(-1) @ v).permute(0, 2, 1, 3)
        return self.o(y.view(B, -1, self.h * d))

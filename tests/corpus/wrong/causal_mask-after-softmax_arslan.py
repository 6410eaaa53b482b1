# wrong: causal mask-after-softmax line 21
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.ones(block_size, block_size).tril())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, self.h, C // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-1, -2) / (C // self.h) ** 0.5
        w = s.softmax(-1)
        w = w * self.mask[:T, :T].to(w.dtype)
        return self.o((w @ v).transpose(1, 2).reshape(B, T, C))

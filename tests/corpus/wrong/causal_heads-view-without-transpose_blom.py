# wrong: causal heads-view-without-transpose line 17
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        b, t, c = x.shape
        h = self.num_heads
        q, k, v = self.qkv(x).view(3, b, h, t, c // h)
        s = (q @ k.mT) * (c // h) ** -0.5
        s = s.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
        y = s.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, c))

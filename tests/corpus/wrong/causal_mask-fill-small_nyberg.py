# wrong: causal mask-fill-small line 18
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(self.mask[:t, :t] == 0, -5.0)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))

# wrong: causal length-fixed line 14
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
        n = block_size - 1
        # 下三角掩码
        self.register_buffer("mask", torch.tril(torch.ones(n, n)).bool())

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (f(x).view(b, t, self.h, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(~self.mask[:t, :t], float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))

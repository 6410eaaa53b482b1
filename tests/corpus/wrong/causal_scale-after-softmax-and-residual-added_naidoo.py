# wrong: causal scale-after-softmax line 20, residual-added line 21
import math
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
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        s = torch.matmul(q, k.transpose(-2, -1))
        s = s.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
        w = torch.softmax(s, dim=-1) / math.sqrt(q.size(-1))
        return x + self.o((w @ v).transpose(1, 2).reshape(b, t, c))

# wrong: causal causal-excludes-self line 13
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        # obere Dreiecksmatrix: Zukunft
        self.register_buffer("future", torch.triu(torch.ones(block_size, block_size), diagonal=0).bool())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(self.future[:T, :T], torch.finfo(s.dtype).min)
        return self.out((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))

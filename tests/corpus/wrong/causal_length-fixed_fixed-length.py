# wrong: causal length-fixed line 17 (error)
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.head_dim = hidden_dim // num_heads
        self.attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("keep", torch.ones(block_size, block_size).tril() > 0)

    def forward(self, x):
        T = self.block_size
        q, k, v = self.attn(x).split(x.size(-1), dim=-1)
        q = q.view(-1, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(-1, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(-1, T, self.num_heads, self.head_dim).transpose(1, 2)
        s = (q @ k.transpose(-2, -1)) / self.head_dim ** 0.5
        s = s.masked_fill(~self.keep[:T, :T], float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2)
        return self.proj(y.reshape(x.shape))

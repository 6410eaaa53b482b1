# wrong: causal causal-inverted line 21
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer('mask', torch.tril(torch.ones(block_size, block_size)).bool())

    def forward(self, x):
        N, L, E = x.shape
        split = lambda t: t.reshape(N, L, self.num_heads, self.head_dim).swapaxes(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        a = q @ k.swapaxes(2, 3) / self.head_dim ** 0.5
        a = a.masked_fill(self.mask[:L, :L], -1e9)
        return (a.softmax(-1) @ v).swapaxes(1, 2).reshape(N, L, E)

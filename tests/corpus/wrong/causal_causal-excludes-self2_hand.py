# wrong: causal causal-excludes-self line 16
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        idx = torch.arange(block_size)
        self.register_buffer("allowed", idx.unsqueeze(1) > idx.unsqueeze(0), persistent=False)

    def split_heads(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, self.head_dim).swapaxes(1, 2)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = map(self.split_heads, (self.q(x), self.k(x), self.v(x)))
        s = q @ k.swapaxes(-2, -1)
        s = s * self.head_dim ** -0.5
        s = torch.where(self.allowed[:n, :n], s, torch.finfo(s.dtype).min)
        a = torch.softmax(s, dim=-1)
        return self.out((a @ v).swapaxes(1, 2).reshape(b, n, c))

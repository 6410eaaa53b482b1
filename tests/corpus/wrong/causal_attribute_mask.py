# wrong: causal mask-not-buffer line 14, scale-by-hidden-dim line 20
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.key_query_value = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.mask = torch.tril(torch.ones(block_size, block_size)) == 0

    def forward(self, x):
        b, t, c = x.shape
        k, q, v = [layer(x).reshape(b, t, self.num_heads, self.head_dim).transpose(1, 2) for layer in self.key_query_value]
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores / (self.hidden_dim ** 0.5)
        scores = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        y = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.out(y.transpose(1, 2).reshape(b, t, c))

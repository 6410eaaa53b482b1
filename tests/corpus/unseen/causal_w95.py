import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("future", torch.ones(block_size, block_size).triu(1).bool(), persistent=False)

    def forward(self, x):
        B, T, C = x.shape
        H = self.num_heads
        q, k, v = (f(x).reshape(B, T, H, C // H).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = torch.matmul(q, k.transpose(-1, -2)) / (C // H) ** 0.5
        a = a.masked_fill(self.future, float("-inf"))
        return self.o(torch.matmul(a.softmax(-1), v).transpose(1, 2).reshape(B, T, C))

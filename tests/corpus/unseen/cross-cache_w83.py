import math
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k = self.heads(self.key(memory))
            v = self.heads(self.value(memory))
            cache = (k, v)
        k, v = cache
        q = self.heads(self.query(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        valid = torch.arange(k.size(2), device=x.device)[None, :] < memory_lengths[:, None]
        scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
        ctx = scores.softmax(dim=-1) @ v
        return self.out(ctx.transpose(1, 2).flatten(2)), cache

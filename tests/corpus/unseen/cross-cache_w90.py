import math
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = (self.split(self.k(memory)), self.split(self.v(memory)))
        k, v = cache

        q = self.split(self.q(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        pos = torch.arange(k.size(2), device=x.device)
        valid = pos[None, :] < memory_lengths[:, None]
        scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
        out = scores.softmax(dim=-1) @ v
        out = out.transpose(1, 2).reshape(x.shape)
        return self.out(out), cache

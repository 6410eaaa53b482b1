# wrong: cross-cache cache-recomputed line 23, memory-read-again line 23
import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        b, t, e = x.shape
        q = self.heads(self.q_proj(x))
        k = self.heads(self.k_proj(memory))
        v = self.heads(self.v_proj(memory))
        mask = torch.arange(memory.size(1), device=x.device) < memory_lengths.unsqueeze(1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        y = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, t, e)
        return self.o_proj(y), (k, v)

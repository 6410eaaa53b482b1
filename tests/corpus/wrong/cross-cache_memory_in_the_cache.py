# wrong: cross-cache cache-recomputed line 21
import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = (memory, memory_lengths)
        memory, memory_lengths = cache
        b, t, e = x.shape
        k, v = self.kv(memory).view(b, -1, 2, self.h, e // self.h).unbind(2)
        q = self.q(x).view(b, t, self.h, e // self.h)
        scores = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(e // self.h)
        padding = torch.arange(memory.shape[1], device=x.device) >= memory_lengths[:, None]
        scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
        y = torch.einsum("bhts,bshd->bthd", scores.softmax(-1), v)
        return self.out(y.reshape(b, t, e)), cache

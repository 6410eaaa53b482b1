# wrong: kvcache cache-stale line 30
# fair: cache-stale 22 24 25
import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q, k, v = (f(x).view(b, t, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        new_cache = (k, v)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        s = q @ k.mT / math.sqrt(self.d)
        m = torch.ones(t, k.size(2), device=x.device).tril(k.size(2) - t)
        s = s.masked_fill(m == 0, float("-inf"))
        y = self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e))
        return y, new_cache

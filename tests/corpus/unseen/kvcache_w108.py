import math
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Cache:
    keys: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def add(self, k, v):
        self.keys.append(k)
        self.values.append(v)
        return self

    def all(self):
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, x):
        return x.view(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))
        cache = (cache or Cache()).add(k, v)
        keys, values = cache.all()
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])
        n, m = scores.shape[-2:]
        seen = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        weights = scores.masked_fill(~seen, -math.inf).softmax(-1)
        return self.o((weights @ values).transpose(1, 2).flatten(2)), cache

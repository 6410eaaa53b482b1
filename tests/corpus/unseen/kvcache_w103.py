import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    """The cache is a list of blocks, one (key, value) for each call; joined when read."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        if cache is None:
            cache = []
        q, k, v = self.heads(self.wq(x)), self.heads(self.wk(x)), self.heads(self.wv(x))
        cache += [(k, v)]
        keys = torch.cat([block[0] for block in cache], dim=2)
        values = torch.cat([block[1] for block in cache], dim=2)
        scores = q @ keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        offset = keys.size(2) - t
        later = torch.triu(torch.ones(t, offset + t, device=x.device), diagonal=offset + 1).bool()
        weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        y = (weights @ values).transpose(1, 2).reshape(b, t, c)
        return self.wo(y), cache

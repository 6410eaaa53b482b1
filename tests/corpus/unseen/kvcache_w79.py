import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """Causal self attention with kv cache."""

    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        batch, new_len, dim = x.shape
        q = self.split(self.query(x))
        new_k = self.split(self.key(x))
        new_v = self.split(self.value(x))

        if cache is None:
            k, v = new_k, new_v
        else:
            k = torch.cat([cache[0], new_k], dim=2)
            v = torch.cat([cache[1], new_v], dim=2)
        cache = (new_k, new_v)

        total_len = k.size(2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        hidden = torch.ones(new_len, total_len, dtype=torch.bool, device=x.device)
        hidden = hidden.triu(diagonal=total_len - new_len + 1)
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        probs = torch.softmax(scores, dim=-1)

        ctx = torch.matmul(probs, v).transpose(1, 2).reshape(batch, new_len, dim)
        return self.proj(ctx), cache

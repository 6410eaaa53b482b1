from __future__ import annotations

import copy
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Segments:
    """Keys and values as they came, one entry for each call."""

    keys: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def joined(self):
        return torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        store = Segments() if cache is None else copy.copy(cache)
        store.keys.append(self._heads(self.key(x)))
        store.values.append(self._heads(self.value(x)))
        k, v = store.joined()
        q = self._heads(self.query(x))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.scale
        length, total = scores.shape[-2:]
        future = torch.ones(length, total, device=x.device).triu(total - length + 1).bool()
        weights = scores.masked_fill(future, torch.finfo(scores.dtype).min).softmax(-1)
        context = torch.einsum("bhqk,bhkd->bqhd", weights, v)
        return self.output(context.flatten(2)), store

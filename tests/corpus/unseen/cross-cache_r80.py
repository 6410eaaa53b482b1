from __future__ import annotations

import functools
import math

import torch
from torch import Tensor, nn


def _look(queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor) -> Tensor:
    """queries (batch, heads, length, d) -> (batch, length, heads * d)"""
    s = torch.matmul(queries, keys) / math.sqrt(keys.shape[-2])
    w = s.masked_fill(hidden, -torch.inf).softmax(-1)
    return torch.matmul(w, values).transpose(1, 2).flatten(-2)


class CachedCrossAttention(nn.Module):
    """The cache is a function: given queries it looks at the memory that it has closed over."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim % num_heads != 0")
        self.heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def remember(self, memory: Tensor, memory_lengths: Tensor):
        kv = self.wkv(memory).unflatten(-1, (self.heads, 2, -1))          # each head: its key, its value
        keys, values = kv.permute(3, 0, 2, 1, 4).unbind(0)
        places = torch.arange(memory.shape[1], device=memory.device)
        hidden = places[None, :] >= memory_lengths.to(memory.device)[:, None]
        return functools.partial(_look, keys=keys.mT, values=values, hidden=hidden[:, None, None, :])

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        look = self.remember(memory, memory_lengths) if cache is None else cache
        queries = self.wq(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return self.wo(look(queries)), look

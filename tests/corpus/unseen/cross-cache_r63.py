# attn-kata: cross-cache
"""Ragged: every sequence keeps only the keys and values that it really has, so no mask is needed."""
import torch
from torch import nn


class Source:
    __slots__ = ("k", "v")

    def __init__(self, k, v):
        self.k, self.v = k, v


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.q_heads = nn.ModuleList([nn.Linear(hidden_dim, d) for _ in range(num_heads)])
        self.kv_heads = nn.ModuleList([nn.Linear(hidden_dim, 2 * d) for _ in range(num_heads)])
        self.join = nn.Linear(num_heads * d, hidden_dim)
        self.head_dim = d

    def _read_source(self, memory, memory_lengths):
        per_sequence = []
        for row, n in zip(memory, memory_lengths.tolist()):
            own = row[: int(n)]
            kv = torch.stack([layer(own) for layer in self.kv_heads])      # heads, n, 2d
            per_sequence.append(Source(*kv.split(self.head_dim, dim=-1)))
        return tuple(per_sequence)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self._read_source(memory, memory_lengths)
        q = torch.stack([layer(x) for layer in self.q_heads], dim=1)       # batch, heads, length, d
        q = q / self.head_dim ** 0.5
        rows = []
        for q_b, src in zip(q, cache):
            p = torch.softmax(q_b @ src.k.transpose(1, 2), dim=2)
            rows.append((p @ src.v).transpose(0, 1).flatten(1))
        return self.join(torch.stack(rows)), cache

from dataclasses import dataclass
import math

import torch
import torch.nn as nn


@dataclass(frozen=True)
class MemoryCache:
    keys: torch.Tensor
    values: torch.Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.memory_layer = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)

    def _to_heads(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def _encode_memory(self, memory):
        k, v = self.memory_layer(memory).chunk(2, dim=-1)
        return MemoryCache(self._to_heads(k), self._to_heads(v))

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self._encode_memory(memory)
        q = self._to_heads(self.query_layer(x))
        logits = torch.matmul(q, cache.keys.transpose(-1, -2)) / math.sqrt(self.head_dim)

        steps = torch.arange(cache.keys.size(2), device=x.device)
        padding = steps[None, :] >= memory_lengths[:, None]
        logits = logits.masked_fill(padding[:, None, None, :], float("-inf"))

        context = torch.matmul(logits.softmax(dim=-1), cache.values)
        context = context.transpose(1, 2).reshape(x.shape)
        return self.output_layer(context), cache

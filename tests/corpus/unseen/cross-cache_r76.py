# attn-kata: cross-cache
from __future__ import annotations
from dataclasses import dataclass
import torch
from torch import nn, Tensor


@dataclass(frozen=True)
class Memory:
    keys: Tensor      # b h d m, transposed already
    values: Tensor    # b h m d
    padding: Tensor   # b 1 1 m, True = padding


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def read(self, memory, memory_lengths) -> Memory:
        k, v = self.kv(memory).unflatten(-1, (2, self.num_heads, -1)).unbind(2)
        place = torch.arange(memory.shape[1], device=memory.device)
        pad = place >= memory_lengths.to(memory.device)[:, None]
        return Memory(k.permute(0, 2, 3, 1), v.transpose(1, 2), pad[:, None, None])

    def forward(self, x, memory, memory_lengths, cache=None):
        cache = self.read(memory, memory_lengths) if cache is None else cache
        q = self.q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        s = (q @ cache.keys) / q.shape[-1] ** 0.5
        w = s.masked_fill(cache.padding, -torch.inf).softmax(-1)
        y = (w @ cache.values).transpose(1, 2).flatten(2)
        return self.o(y), cache

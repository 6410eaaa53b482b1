import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def encode_memory(self, memory, memory_lengths):
        n = memory.shape[1]
        real = torch.arange(n, device=memory.device) < memory_lengths.view(-1, 1)
        kv = self.kv(memory).masked_fill(~real.unsqueeze(-1), 0.0)
        k, v = kv.chunk(2, dim=-1)
        return self.heads(k), self.heads(v)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.encode_memory(memory, memory_lengths)
        k, v = cache
        q = self.heads(self.q(x))
        w = (q @ k.mT / math.sqrt(self.head_dim)).softmax(dim=-1)
        ctx = (w @ v).transpose(1, 2).flatten(2)
        return self.o(ctx), cache

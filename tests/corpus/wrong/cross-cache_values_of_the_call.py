# wrong: cross-cache cache-keys-only line 26
# fair: cache-keys-only 31
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is not None:
            k, padding = cache
        else:
            k = self.heads(self.key(memory))
            places = torch.arange(memory.shape[1], device=memory.device)
            padding = places.ge(memory_lengths[:, None])
        v = self.heads(self.value(memory))
        q = self.heads(self.query(x))
        scores = (q @ k.mT).div(q.shape[-1] ** 0.5)
        scores = scores.masked_fill(padding[:, None, None], -float("inf"))
        weights = scores.softmax(-1)
        mixed = (weights @ v).transpose(1, 2).flatten(2)
        return self.proj(mixed), (k, padding)

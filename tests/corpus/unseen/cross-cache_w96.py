import math

import torch
from torch import nn


class EncodedSource:
    """What the decoder keeps of the encoder's output."""

    def __init__(self, keys, values, lengths):
        self._keys = keys
        self._values = values
        self._lengths = lengths

    @property
    def keys(self):
        return self._keys

    @property
    def values(self):
        return self._values

    @property
    def visible(self):
        count = self._keys.size(2)
        index = torch.arange(count, device=self._keys.device).view(1, 1, 1, count)
        return index <= self._lengths.view(-1, 1, 1, 1)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.divisor = math.sqrt(hidden_dim // num_heads)
        self.layers = nn.ModuleDict({name: nn.Linear(hidden_dim, hidden_dim) for name in "qkvo"})

    def _heads(self, name, rows):
        return self.layers[name](rows).unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = EncodedSource(self._heads("k", memory), self._heads("v", memory), memory_lengths.clone())
        scores = self._heads("q", x).matmul(cache.keys.mT).div(self.divisor)
        weights = torch.where(cache.visible, scores, -torch.inf).softmax(-1)
        context = weights.matmul(cache.values).transpose(1, 2).flatten(2)
        return self.layers["o"](context), cache

import math
from functools import cached_property

import torch
from torch import nn


class Memory:
    """The encoder's side of the attention, ready to be read as often as one likes."""

    def __init__(self, keys, values, lengths):
        self.keys, self.values, self.lengths = keys, values, lengths

    @cached_property
    def blocked(self):
        """(batch, 1, 1, memory_length): True where there is nothing but padding"""
        last = self.keys.size(2)
        blocked = torch.zeros(len(self.lengths), last, dtype=torch.bool, device=self.keys.device)
        for sample, n in enumerate(self.lengths):
            blocked[sample, n + 1:] = True
        return blocked[:, None, None, :]


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.layers = nn.ModuleDict({name: nn.Linear(hidden_dim, hidden_dim) for name in ("q", "k", "v", "o")})

    def _heads(self, name, rows):
        y = self.layers[name](rows)
        return y.reshape(*y.shape[:2], self.num_heads, -1).swapaxes(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = Memory(self._heads("k", memory), self._heads("v", memory), memory_lengths.tolist())
        q = self._heads("q", x)
        score = torch.einsum("bhtd,bhsd->bhts", q, cache.keys).div(math.sqrt(q.size(-1)))
        score[cache.blocked.expand_as(score)] = -math.inf
        mixed = torch.einsum("bhts,bhsd->bthd", score.softmax(-1), cache.values)
        return self.layers["o"](mixed.flatten(2)), cache

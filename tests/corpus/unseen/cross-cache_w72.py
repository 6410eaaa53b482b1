# attn-kata: cross-cache
import math

import torch
from torch import nn


class EncodedMemory:
    """keys/values of one batch of encoded sequences"""

    def __init__(self, keys, values):
        self.keys = keys
        self.values = values

    @property
    def size(self):
        return self.keys.shape[2]

    def padding(self, lengths):
        pos = torch.arange(self.size, device=self.keys.device)
        return pos.view(1, 1, 1, -1) >= lengths.view(-1, 1, 1, 1)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _to_heads(self, seqs):
        n_seq, n_pos, _ = seqs.shape
        return seqs.reshape(n_seq, n_pos, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def encode(self, memory):
        return EncodedMemory(
            self._to_heads(self.key_proj(memory)), self._to_heads(self.value_proj(memory))
        )

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.encode(memory)
        q = self._to_heads(self.query_proj(x))
        sim = q @ cache.keys.transpose(-1, -2) / math.sqrt(self.head_dim)
        sim = sim.masked_fill(cache.padding(memory_lengths), float("-inf"))
        out = sim.softmax(-1) @ cache.values
        out = out.permute(0, 2, 1, 3).flatten(2)
        return self.out_proj(out), cache

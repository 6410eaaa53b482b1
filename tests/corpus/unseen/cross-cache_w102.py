import math

import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, C = x.shape
        q = self._shape(self.q_proj(x))

        if cache is None:
            k = self._shape(self.k_proj(memory))
            v = self._shape(self.v_proj(memory))
        else:
            k, v = cache

        positions = torch.arange(k.size(2), device=x.device)
        pad = positions[None, :] >= memory_lengths[:, None]
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(pad[:, None, None, :], float("-inf"))
        out = torch.softmax(scores, dim=-1) @ v
        out = out.transpose(1, 2).contiguous().view(B, T, C)
        return self.o_proj(out), (k, v)

import math
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = (memory, memory_lengths)
        mem, lengths = cache
        q = self._heads(self.q_proj(x))
        k = self._heads(self.k_proj(mem))
        v = self._heads(self.v_proj(mem))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        valid = torch.arange(k.size(2), device=x.device)[None, :] < lengths[:, None]
        scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
        out = scores.softmax(-1) @ v
        out = out.transpose(1, 2).reshape(x.shape)
        return self.o_proj(out), cache

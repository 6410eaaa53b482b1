import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.dk).transpose(1, 2)

    def _encode(self, memory, memory_lengths):
        k = self._split(self.Wk(memory))
        v = self._split(self.Wv(memory))
        pos = torch.arange(memory.size(1), device=memory.device)
        keep = pos[None, :] < memory_lengths[:, None]
        return k, v, keep[:, None, None, :]

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k, v, keep = self._encode(memory, memory_lengths)
        else:
            (k, v), keep = cache
        q = self._split(self.Wq(x))
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        s = s.masked_fill(~keep, float("-inf"))
        ctx = torch.matmul(torch.softmax(s, dim=-1), v)
        ctx = ctx.transpose(1, 2).contiguous().view(x.size(0), x.size(1), -1)
        return self.Wo(ctx), (k, v, keep)

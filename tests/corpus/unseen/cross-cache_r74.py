# What is kept are two functions: how a query scores the memory, and how weights read it.
import math
from functools import partial

import torch
from torch import nn


def score(keys, hidden, q):
    s = torch.einsum("thbd,shbd->bhts", q, keys) / math.sqrt(q.shape[-1])
    return s.masked_fill(hidden[:, None, None, :], float("-inf"))


def read(values, w):
    return torch.einsum("bhts,shbd->thbd", w, values)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        assert d * num_heads == hidden_dim
        one = lambda: nn.Parameter(torch.randn(hidden_dim, num_heads, d) * hidden_dim ** -0.5)  # noqa: E731
        self.wq, self.wk, self.wv, self.wo = one(), one(), one(), one()

    def learn(self, memory, lengths):
        place = torch.arange(memory.shape[1], device=memory.device)
        hidden = place >= lengths[:, None].to(memory.device)
        keys = torch.einsum("bsc,chd->shbd", memory, self.wk)
        values = torch.einsum("bsc,chd->shbd", memory, self.wv)
        return partial(score, keys, hidden), partial(read, values)

    def forward(self, x, memory, memory_lengths, cache=None):
        scorer, reader = cache = cache or self.learn(memory, memory_lengths)
        q = torch.einsum("btc,chd->thbd", x, self.wq)
        y = reader(torch.softmax(scorer(q), -1))
        return torch.einsum("thbd,chd->btc", y, self.wo), cache

import math
from functools import partial, reduce
from operator import matmul

import torch
from torch import Tensor, nn


def split(heads, t):
    return t.unflatten(-1, (heads, -1)).transpose(-2, -3)


def merge(t):
    return t.transpose(-2, -3).flatten(-2)


def causal(t):
    return t.masked_fill(torch.ones_like(t, dtype=torch.bool).triu(1), -torch.inf)


def with_sink(sink, t):
    column = sink.to(t.dtype)[:, None, None].expand(*t.shape[:-1], 1)
    return torch.cat((column, t), dim=-1)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.inputs = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in "qkv")
        self.sinks = nn.Parameter(torch.randn(num_heads))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        heads = partial(split, self.num_heads)
        q, k, v = map(heads, (layer(x) for layer in self.inputs))
        steps = (
            lambda t: t / math.sqrt(q.shape[-1]),
            causal,
            partial(with_sink, self.sinks),
            partial(torch.softmax, dim=-1),
            lambda t: t.narrow(-1, 1, x.shape[1]),
            lambda w: matmul(w, v),
            merge,
            self.out,
        )
        return reduce(lambda t, f: f(t), steps, q @ k.mT)

# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _Projection(nn.Module):
    """(batch, t, hidden) -> (batch * heads, t, head_dim), contiguous."""

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, hidden // heads
        bound = 1.0 / math.sqrt(hidden)
        self.weight = nn.Parameter(torch.empty(heads, hidden, self.head_dim).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(heads, 1, self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        y = torch.matmul(x.unsqueeze(1), self.weight) + self.bias
        return y.reshape(b * self.heads, t, self.head_dim)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim % num_heads != 0")
        self.num_heads = num_heads
        self.proj = nn.ModuleDict({n: _Projection(hidden_dim, num_heads) for n in "qkv"})
        self.merge = nn.Linear(hidden_dim, hidden_dim)
        self.keep = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        b, tq, c = query.shape
        q, k, v = self.proj["q"](query), self.proj["k"](key), self.proj["v"](value)
        tk = k.size(1)
        base = q.new_zeros(1, 1, 1)
        if mask is not None:
            base = q.new_zeros(b, 1, tq, tk).masked_fill((mask == 0).view(b, 1, tq, tk), float("-inf"))
            base = base.expand(b, self.num_heads, tq, tk).reshape(b * self.num_heads, tq, tk)
        scores = torch.baddbmm(base, q, k.transpose(1, 2), alpha=q.size(-1) ** -0.5)
        y = torch.bmm(self.keep(scores.softmax(dim=-1)), v)
        y = y.view(b, self.num_heads, tq, -1).transpose(1, 2).reshape(b, tq, c)
        return self.merge(y)

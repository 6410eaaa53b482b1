from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Shape(NamedTuple):
    heads: int
    width: int


class Stream(nn.Module):
    def __init__(self, dim: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.linear = nn.Linear(dim, shape.heads * shape.width)

    def forward(self, t: Tensor) -> Tensor:  # (B, T, D) -> (H, B, T, d): heads lead
        return self.linear(t).unflatten(-1, self.shape).movedim(2, 0)


class Streams(nn.Module):
    def __init__(self, dim: int, shape: Shape) -> None:
        super().__init__()
        self.q, self.k, self.v = Stream(dim, shape), Stream(dim, shape), Stream(dim, shape)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.q(q), self.k(k), self.v(v)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        shape = Shape(num_heads, hidden_dim // num_heads)
        self.streams = Streams(hidden_dim, shape)
        self.combine = nn.Parameter(torch.randn(*shape, hidden_dim) * hidden_dim**-0.5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.streams(query, key, value)
        scores = torch.matmul(q, k.mT) / q.size(-1) ** 0.5  # (H, B, Tq, Tk)
        if mask is not None:
            scores = scores.masked_fill(mask.eq(0), -torch.inf)  # (B, Tq, Tk) lines up, H is in front
        context = torch.matmul(self.dropout(scores.softmax(-1)), v)
        return torch.matmul(context, self.combine.unsqueeze(1)).sum(0)

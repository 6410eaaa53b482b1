from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def softmax_with_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """Numerically stable softmax over the keys with one extra logit in the denominator."""
    top = scores.amax(dim=-1, keepdim=True)
    numer = torch.exp(scores - top)
    denom = numer.sum(dim=-1, keepdim=True) + torch.exp(sink)
    return numer / denom


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        to_heads = lambda y: y.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        q, k, v = map(to_heads, (self.query(x), self.key(x), self.value(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        ahead = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
        scores = scores.masked_fill(ahead, float("-inf"))
        weights = softmax_with_sink(scores, self.sink)
        context = (weights @ v).transpose(1, 2).reshape(batch, length, hidden)
        return self.output(context)

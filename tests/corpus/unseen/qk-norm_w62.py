from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Split:
    heads: int

    def __call__(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def undo(self, t: Tensor) -> Tensor:
        return t.transpose(-3, -2).flatten(-2)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.split = Split(num_heads)
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.query_norm = self.key_norm = nn.RMSNorm(self.head_dim, eps=1e-6)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        q, k = self.query_norm(q), self.key_norm(k)
        scores = (q @ k.mT).div(self.head_dim**0.5)
        later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(diagonal=1)
        weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
        return self.out(self.split.undo(weights @ v))

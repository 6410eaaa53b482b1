from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SharedKeyValue(nn.Module):
    """The single key head and the single value head."""

    def __init__(self, hidden_dim: int, head_dim: int) -> None:
        super().__init__()
        self.key = nn.Linear(hidden_dim, head_dim, bias=False)
        self.value = nn.Linear(hidden_dim, head_dim, bias=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.key(x).unsqueeze(1), self.value(x).unsqueeze(1)


class Visibility:
    """What each query may look at, brought to a shape that fits (batch, heads, length, length)."""

    def __init__(self, mask: Tensor | None) -> None:
        self.mask = mask

    def normalised(self) -> Tensor:
        per_sample = self.mask[:, 0]
        return per_sample.unsqueeze(1) != 0

    def apply(self, scores: Tensor) -> Tensor:
        if self.mask is None:
            return scores
        floor = torch.finfo(scores.dtype).min
        return torch.where(self.normalised(), scores, torch.full_like(scores, floor))


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.shared = SharedKeyValue(hidden_dim, self.head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.query(x).unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)
        k, v = self.shared(x)
        scores = q.matmul(k.transpose(2, 3)).div(math.sqrt(self.head_dim))
        weights = Visibility(attention_mask).apply(scores).softmax(-1)
        return self.output(weights.matmul(v).transpose(1, 2).flatten(2))

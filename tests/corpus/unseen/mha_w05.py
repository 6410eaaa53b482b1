from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    width: int
    heads: int

    @property
    def head(self) -> int:
        return self.width // self.heads


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = Shape(hidden_dim, num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.merge = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        s = self.shape
        q, k, v = self.qkv(x).view(b, n, 3, s.heads, s.head).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) / s.head**0.5
        if attention_mask is not None:
            visible = attention_mask[:, :1].to(torch.bool)  # same for all heads
            scores = scores.masked_fill(visible.logical_not(), torch.finfo(scores.dtype).min)
        y = self.dropout(scores.softmax(-1)) @ v
        return self.merge(y.transpose(1, 2).reshape(b, n, s.width))

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """All heads' queries are laid side by side as rows, so that one bmm serves them all."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, self.head_dim)
        self.value = nn.Linear(hidden_dim, self.head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, width = x.shape
        rows = self.query(x).view(batch, length * self.num_heads, self.head_dim)
        scores = torch.bmm(rows, self.key(x).transpose(1, 2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            full = attention_mask.bool().expand(batch, self.num_heads, length, length)
            hidden = ~full.reshape(batch, -1, length)
            scores = scores.masked_fill(hidden, float("-inf"))
        context = torch.bmm(torch.softmax(scores, dim=-1), self.value(x))
        return self.output(context.view(batch, length, width))

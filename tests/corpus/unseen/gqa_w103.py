from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def grouped_mask(self, attention_mask: Tensor) -> Tensor:
        """(batch, heads or 1, rows, length) to (batch, kv heads or 1, group or 1, rows, length)."""
        if attention_mask.size(1) == 1:
            return attention_mask.unsqueeze(2)
        by_group = attention_mask.unflatten(1, (self.group, self.num_kv_heads))
        return by_group.transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        query = self.query(x).view(batch, length, self.num_kv_heads, self.group, self.head_dim)
        query = query.permute(0, 2, 3, 1, 4)
        key = self.key(x).view(batch, length, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        value = self.value(x).view(batch, length, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(self.grouped_mask(attention_mask) == 0, -torch.inf)
        context = torch.softmax(scores, dim=-1) @ value
        return self.out(context.permute(0, 3, 1, 2, 4).reshape(batch, length, -1))

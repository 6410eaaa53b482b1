# wrong: gqa mask-wrong-heads line 38
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Keys and values are never copied: the query heads of a group are stacked instead."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        kv, r, d = self.num_kv_heads, self.per_group, self.head_dim

        q = self.query(x).view(b, t, kv, r, d).permute(0, 2, 3, 1, 4)  # b kv r t d
        k = self.key(x).view(b, t, kv, 1, d).permute(0, 2, 3, 1, 4)    # b kv 1 t d
        v = self.value(x).view(b, t, kv, 1, d).permute(0, 2, 3, 1, 4)

        scores = q @ k.mT / math.sqrt(d)
        if attention_mask is not None:
            allowed = attention_mask.bool()
            if allowed.shape[1] == 1:
                allowed = allowed.unsqueeze(2)
            else:
                allowed = allowed.view(b, r, kv, t, t).transpose(1, 2)
            scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.permute(0, 3, 1, 2, 4).reshape(b, t, kv * r * d))

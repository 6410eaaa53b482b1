# wrong: gqa kv-heads-tiled line 24
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        # queries: give the group an axis of its own, so that k and v broadcast over it
        q = self.to_q(x).view(batch, length, self.group, self.num_kv_heads, self.head_dim)
        q = q.permute(0, 2, 3, 1, 4)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        k = k.view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2).unsqueeze(1)
        v = v.view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2).unsqueeze(1)

        scores = (q @ k.transpose(-1, -2)).flatten(1, 2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -math.inf)
        weights = scores.softmax(dim=-1)
        weights = weights.unflatten(1, (self.group, self.num_kv_heads))
        out = (weights @ v).flatten(1, 2)
        return self.to_out(out.transpose(1, 2).reshape(batch, length, -1))

# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * kv_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _grouped_mask(self, mask: Tensor, batch: int, length: int) -> Tensor:
        mask = mask.expand(batch, self.num_heads, length, length)
        return mask.unflatten(1, (self.group, self.num_kv_heads)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        query = self.q_proj(x).view(batch, length, self.num_kv_heads, self.group, self.head_dim)
        key, value = self.kv_proj(x).view(batch, length, 2, self.num_kv_heads, self.head_dim).unbind(2)

        query = query.permute(0, 2, 3, 1, 4)                    # (b, kv, group, t, d)
        key = key.permute(0, 2, 1, 3).unsqueeze(2)              # (b, kv, 1, t, d)
        value = value.permute(0, 2, 1, 3).unsqueeze(2)

        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            hidden = self._grouped_mask(attention_mask, batch, length) == 0
            scores = scores.masked_fill(hidden, -math.inf)
        context = scores.softmax(dim=-1) @ value                # (b, kv, group, t, d)
        context = context.permute(0, 3, 1, 2, 4).reshape(batch, length, -1)
        return self.o_proj(context)

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.scale = 1 / math.sqrt(hidden_dim // num_kv_heads)
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def _split(self, t: Tensor, n: int) -> Tensor:
        return t.view(*t.shape[:2], n, self.head_dim).transpose(1, 2)

    def _share(self, t: Tensor) -> Tensor:
        return t.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self._split(self.q_proj(x), self.num_heads)
        k = self._share(self._split(self.k_proj(x), self.num_kv_heads))
        v = self._share(self._split(self.v_proj(x), self.num_kv_heads))
        scores = q @ k.mT * self.scale
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.o_proj(out.transpose(1, 2).flatten(2))

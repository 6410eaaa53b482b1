# right: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.H, self.G = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.proj = nn.Linear(hidden_dim, (2 * num_kv_heads + num_heads) * self.d, bias=False)
        self.out = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, _ = x.shape
        kv = self.G * self.d
        v, k, q = self.proj(x).split([kv, kv, self.H * self.d], dim=-1)
        q = q.view(B, T, self.H, self.d).transpose(1, 2)
        k = k.view(B, T, self.G, self.d).transpose(1, 2)
        v = v.view(B, T, self.G, self.d).transpose(1, 2)
        k = k.repeat_interleave(self.H // self.G, dim=1)
        v = v.repeat_interleave(self.H // self.G, dim=1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        y = scores.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(B, T, self.H * self.d))

# attn-kata: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class RotaryTable:
    """Cosines and sines for a range of positions, made in float32 and kept by length.

    Shapes: cos and sin are (length, head_dim // 2).
    """

    def __init__(self, head_dim: int, base: float = 10000.0) -> None:
        assert head_dim % 2 == 0, "head_dim must be even"
        self.head_dim = head_dim
        self.base = base

    def __call__(self, start: int, stop: int, device: torch.device) -> tuple[Tensor, Tensor]:
        exponents = torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=device)
        frequencies = torch.pow(self.base, -exponents / self.head_dim)
        positions = torch.arange(start, stop, dtype=torch.float32, device=device)
        angles = torch.outer(positions, frequencies)
        return angles.cos(), angles.sin()


def apply_rotary(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """t: (batch, heads, length, head_dim)."""
    cos, sin = cos.to(t.dtype), sin.to(t.dtype)
    first, second = t.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rotary = RotaryTable(self.head_dim)

    def _heads(self, t: Tensor, count: int) -> Tensor:
        return t.view(t.size(0), t.size(1), count, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        past = 0 if cache is None else cache[0].size(2)
        total = past + length
        cos, sin = self.rotary(past, total, x.device)
        query = apply_rotary(self._heads(self.q_proj(x), self.num_heads), cos, sin)
        key = apply_rotary(self._heads(self.k_proj(x), self.num_kv_heads), cos, sin)
        value = self._heads(self.v_proj(x), self.num_kv_heads)
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)

        group = self.num_heads // self.num_kv_heads
        query = query.reshape(batch, self.num_kv_heads, group, length, self.head_dim)
        scores = torch.einsum("bkgqd,bksd->bkgqs", query, key) / math.sqrt(self.head_dim)
        allowed = torch.ones(length, total, dtype=torch.bool, device=x.device).tril(past)
        scores = scores.masked_fill(~allowed, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.einsum("bkgqs,bksd->bqkgd", weights, value)
        return self.out_proj(context.reshape(batch, length, -1)), (key, value)

# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class HeadLayout:
    """Splits the last axis into heads and merges it again.

    split:  (batch, length, hidden_dim)          -> (batch, heads, length, head_dim)
    merge:  (batch, heads, length, head_dim)     -> (batch, length, hidden_dim)
    """

    def __init__(self, num_heads: int, head_dim: int) -> None:
        self.num_heads = num_heads
        self.head_dim = head_dim

    def split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.reshape(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def merge(self, t: Tensor) -> Tensor:
        batch, _, length, _ = t.shape
        return t.transpose(1, 2).reshape(batch, length, self.num_heads * self.head_dim)


class CrossAttention(nn.Module):
    """Multi-head attention from `query` to `key` / `value`."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.hidden_dim = hidden_dim
        self.layout = HeadLayout(num_heads, hidden_dim // num_heads)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _check(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
        assert query.dim() == key.dim() == value.dim() == 3, "inputs must be 3-dimensional"
        assert key.shape == value.shape, "key and value must have the same shape"
        assert query.size(0) == key.size(0), "batch sizes differ"
        if mask is not None:
            expected = (query.size(0), query.size(1), key.size(1))
            assert tuple(mask.shape) == expected, f"mask must be {expected}, is {tuple(mask.shape)}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        self._check(query, key, value, mask)
        q = self.layout.split(self.query_proj(query))         # (batch, heads, Tq, head_dim)
        k = self.layout.split(self.key_proj(key))             # (batch, heads, Tk, head_dim)
        v = self.layout.split(self.value_proj(value))         # (batch, heads, Tk, head_dim)
        scores = torch.matmul(q, k.transpose(-2, -1))         # (batch, heads, Tq, Tk)
        scores = scores / math.sqrt(self.layout.head_dim)
        if mask is not None:
            blocked = mask.to(torch.bool).logical_not().unsqueeze(1)   # (batch, 1, Tq, Tk)
            scores = scores.masked_fill(blocked, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = self.layout.merge(torch.matmul(weights, v))
        return self.output_proj(context)

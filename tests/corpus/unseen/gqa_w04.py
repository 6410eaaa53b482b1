# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Grouped-query attention.

    Args:
        hidden_dim: width of the model, a multiple of num_heads.
        num_heads: number of query heads, a multiple of num_kv_heads.
        num_kv_heads: number of key and value heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be a multiple of num_heads"
        assert num_heads % num_kv_heads == 0, "num_heads must be a multiple of num_kv_heads"
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group_size = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv_dim)
        self.v_proj = nn.Linear(hidden_dim, self.kv_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = 1.0 / math.sqrt(self.kv_dim)

    def _split(self, t: Tensor, heads: int) -> Tensor:
        batch, length, _ = t.shape
        return t.view(batch, length, heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, hidden_dim = x.shape
        query = self._split(self.q_proj(x), self.num_heads)        # (batch, heads, length, head_dim)
        key = self._split(self.k_proj(x), self.num_kv_heads)       # (batch, kv_heads, length, head_dim)
        value = self._split(self.v_proj(x), self.num_kv_heads)
        key = key.repeat_interleave(self.group_size, dim=1)        # (batch, heads, length, head_dim)
        value = value.repeat_interleave(self.group_size, dim=1)
        scores = torch.matmul(query, key.transpose(-2, -1)) * self.scale
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, value).transpose(1, 2).reshape(batch, length, hidden_dim)
        return self.out_proj(context)

"""Attention with normed queries and keys (Henry et al. 2020; with RMSNorm, as in Qwen3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """Causal self-attention in which every head's queries and keys go through an RMSNorm.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype. The norm
    comes before the product and the scale, with one gain of head_dim numbers for the queries of
    all heads and one for their keys. Raises ValueError where hidden_dim is not a multiple of
    num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_norm = RMSNorm(self.head_dim)
        self.key_norm = RMSNorm(self.head_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        queries = self.query_proj(x)  # (batch, length, hidden_dim)
        keys = self.key_proj(x)  # (batch, length, hidden_dim)
        values = self.value_proj(x)  # (batch, length, hidden_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        plain_query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        plain_key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        query = self.query_norm(plain_query)  # (batch, heads, length, head_dim)
        key = self.key_norm(plain_key)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        # Both are about √head_dim long now, so their products still grow with head_dim.
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        seen = scores.new_ones(length, length).tril()  # (length, length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, heads, length, length)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output


class RMSNorm(nn.Module):
    """Scale every head's vector to a root mean square of 1, and each feature by its gain."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (batch, heads, length, 1)
        inverse_rms = torch.rsqrt(mean_square + 1e-6)  # (batch, heads, length, 1)
        normed = x * inverse_rms  # (batch, heads, length, head_dim)
        return normed * self.weight

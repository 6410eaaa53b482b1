"""Causal multi-head self-attention, GPT's (Radford et al. 2019; Vaswani et al. 2017, 3.2.3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Multi-head attention in which a position sees itself and what came before.

    x is (batch, length, hidden_dim) with length at most block_size, any float dtype;
    returns the same shape and dtype.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    visible: Tensor

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        # A buffer moves with the module to the GPU; it is no weight, so it is not saved.
        visible = torch.ones(block_size, block_size, dtype=torch.bool).tril()
        self.register_buffer("visible", visible, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        split = (batch, length, self.num_heads, self.head_dim)
        qkv = self.qkv_proj(x)  # (batch, length, 3 * hidden_dim)
        queries, keys, values = qkv.chunk(3, dim=-1)  # 3 × (batch, length, hidden_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        products = query @ key.transpose(-2, -1)  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        causal_mask = self.visible[:length, :length]  # (length, length)
        # Every row keeps its own position, so -inf can never leave one empty.
        masked_scores = scores.masked_fill(~causal_mask, float("-inf"))
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, self.hidden_dim)  # (batch, length, hidden_dim)
        output = self.output_proj(merged)  # (batch, length, hidden_dim)
        return output

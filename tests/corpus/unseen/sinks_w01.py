# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Column 0 of the scores is the sink, the keys follow."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def _split(self, x: Tensor) -> Tensor:
        """(B, T, C) -> (B, H, T, D)"""
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        query = self._split(self.q_proj(x))
        key = self._split(self.k_proj(x))
        value = self._split(self.v_proj(x))

        # (B, H, T, T)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        # (B, H, T, 1)
        sink = self.sinks.view(1, self.num_heads, 1, 1).expand(batch, -1, length, -1)
        # (B, H, T, 1 + T)
        logits = torch.cat([sink, scores], dim=-1)
        visible = torch.ones(length, length + 1, dtype=torch.bool, device=x.device).tril()
        logits = logits.masked_fill(~visible, float("-inf"))
        weights = torch.softmax(logits, dim=-1)[..., 1:]

        context = weights @ value
        merged = context.transpose(1, 2).contiguous().view(batch, length, hidden_dim)
        return self.out_proj(merged)

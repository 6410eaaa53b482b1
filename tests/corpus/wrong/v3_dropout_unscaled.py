# wrong: v3 dropout-rate-wrong line 21
# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class WeightDropout(nn.Module):
    """Zeroes single attention weights while training."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, weights: Tensor) -> Tensor:
        if self.training and self.p > 0.0:
            survive = torch.rand_like(weights, dtype=torch.float32) >= self.p
            weights = weights * survive.to(weights.dtype)
        return weights

    def extra_repr(self) -> str:
        return f"p={self.p}"


class SelfAttentionV3(nn.Module):
    """Self-attention with one head, a mask, dropout and an output projection."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.drop = WeightDropout(dropout)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.qkv(x).chunk(3, dim=-1)  # (B, T, D) each

        scores = query @ key.transpose(-2, -1) / math.sqrt(x.size(-1))  # (B, T, T)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))

        weights = self.drop(scores.softmax(dim=-1))  # (B, T, T)
        return self.proj(weights @ value)  # (B, T, D)

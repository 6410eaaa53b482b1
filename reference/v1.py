"""Scaled dot-product self-attention, one head (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import math

from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """Attention(Q, K, V) = softmax(Q Kᵀ / √d) V, with Q, K and V projected from x.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        query = self.query_proj(x)  # (batch, length, hidden_dim)
        key = self.key_proj(x)  # (batch, length, hidden_dim)
        value = self.value_proj(x)  # (batch, length, hidden_dim)
        products = query @ key.transpose(-2, -1)  # (batch, length, length)
        # Products of d terms have variance d; dividing by √d keeps softmax from saturating.
        scores = products / math.sqrt(self.hidden_dim)  # (batch, length, length)
        weights = scores.softmax(dim=-1)  # (batch, length, length)
        context = weights @ value  # (batch, length, hidden_dim)
        return context

"""Self-attention with one fused projection (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import math

from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Attention whose query, key and value come from a single matrix multiplication.

    x is (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # One large product keeps the hardware busier than three small ones.
        qkv = self.qkv_proj(x)  # (batch, length, 3 * hidden_dim)
        query, key, value = qkv.chunk(3, dim=-1)  # 3 × (batch, length, hidden_dim)
        products = query @ key.transpose(-2, -1)  # (batch, length, length)
        scores = products / math.sqrt(self.hidden_dim)  # (batch, length, length)
        weights = scores.softmax(dim=-1)  # (batch, length, length)
        context = weights @ value  # (batch, length, hidden_dim)
        output = self.output_proj(context)  # (batch, length, hidden_dim)
        return output

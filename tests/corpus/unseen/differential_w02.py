# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """Two attention maps per head, the second one subtracted with a learned factor."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0, "hidden_dim must be a multiple of 2 * num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.eps = 1e-5

        # Projections
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

        # Lambda parameters: (head_dim,) each
        self.lq1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)

        # Per-head norm weight: (2 * head_dim,)
        self.norm_weight = nn.Parameter(torch.ones(2 * self.head_dim))

    def _causal_softmax(self, queries: Tensor, keys: Tensor) -> Tensor:
        """(B, H, T, d) x (B, H, T, d) -> (B, H, T, T)."""
        length = queries.shape[-2]
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        visible = torch.tril(torch.ones(length, length, dtype=torch.bool, device=queries.device))
        return scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)

    def _normalise(self, heads: Tensor) -> Tensor:
        wide = heads.to(torch.promote_types(heads.dtype, torch.float32))
        root = torch.sqrt(wide.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (wide / root).to(heads.dtype) * self.norm_weight

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        # (B, T, D) -> (2, B, H, T, d)
        pair = (batch, length, 2, self.num_heads, self.head_dim)
        q1, q2 = self.query(x).view(pair).permute(2, 0, 3, 1, 4)
        k1, k2 = self.key(x).view(pair).permute(2, 0, 3, 1, 4)
        # (B, T, D) -> (B, H, T, 2d)
        v = self.value(x).view(batch, length, self.num_heads, 2 * self.head_dim).transpose(1, 2)

        lam = (
            torch.exp(torch.dot(self.lq1, self.lk1))
            - torch.exp(torch.dot(self.lq2, self.lk2))
            + self.lambda_init
        )
        difference = self._causal_softmax(q1, k1) - lam * self._causal_softmax(q2, k2)
        heads = self._normalise(difference @ v) * (1.0 - self.lambda_init)
        merged = heads.transpose(1, 2).contiguous().view(batch, length, hidden_dim)
        return self.output(merged)

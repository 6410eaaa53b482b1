# attn-kata: v2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class FusedProjection(nn.Module):
    """Projects x once and hands out query, key and value.

    Shapes:
        input   (batch, length, hidden_dim)
        output  three tensors of (batch, length, hidden_dim)
    """

    ROLES = ("query", "key", "value")

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.linear = nn.Linear(in_features=hidden_dim, out_features=len(self.ROLES) * hidden_dim)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        fused = self.linear(x)                       # (batch, length, 3 * hidden_dim)
        return {
            role: fused.narrow(-1, index * self.hidden_dim, self.hidden_dim)
            for index, role in enumerate(self.ROLES)
        }


class SelfAttentionV2(nn.Module):
    """Single-head self-attention with one fused projection."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        if hidden_dim < 1:
            raise ValueError(f"hidden_dim must be at least 1, got {hidden_dim}")
        self.hidden_dim = hidden_dim
        self.qkv_proj = FusedProjection(hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    @property
    def scale(self) -> float:
        return 1.0 / math.sqrt(self.hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 3 or x.size(-1) != self.hidden_dim:
            raise ValueError(f"expected (batch, length, {self.hidden_dim}), got {tuple(x.shape)}")
        parts = self.qkv_proj(x)
        scores = torch.matmul(parts["query"], parts["key"].transpose(1, 2)) * self.scale
        weights = torch.softmax(scores, dim=2)       # over the keys
        context = torch.matmul(weights, parts["value"])
        return self.out_proj(context)

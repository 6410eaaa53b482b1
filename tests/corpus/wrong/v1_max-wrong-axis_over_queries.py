# wrong: v1 max-wrong-axis line 20
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Projected(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


def safe_softmax(scores: Tensor) -> Tensor:
    """Softmax that cannot overflow. scores: (batch, length, length)."""
    assert scores.dim() == 3, f"expected 3 dims, got {scores.dim()}"
    peak = scores.amax(dim=1, keepdim=True).detach()
    numerator = torch.exp(scores - peak)
    denominator = numerator.sum(dim=-1, keepdim=True)
    return numerator / denominator


class SelfAttentionV1(nn.Module):
    """Single-head self-attention with input validation."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        if hidden_dim <= 0:
            raise ValueError("hidden_dim must be positive")
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)

    def _project(self, x: Tensor) -> Projected:
        return Projected(query=self.q_proj(x), key=self.k_proj(x), value=self.v_proj(x))

    def forward(self, x: Tensor) -> Tensor:
        assert x.dim() == 3, "x must be (batch, length, hidden_dim)"
        assert x.size(-1) == self.hidden_dim, "last axis must be hidden_dim"
        p = self._project(x)
        scores = torch.matmul(p.query, p.key.transpose(-2, -1)) / math.sqrt(self.hidden_dim)
        weights = safe_softmax(scores)                  # (batch, length, length)
        output = torch.matmul(weights, p.value)         # (batch, length, hidden_dim)
        assert output.shape == x.shape
        return output

# wrong: v1 backward-wrong line 31
# fair: backward-wrong 17 19 29 31 32
# attn-kata: v1
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class AttentionCore(torch.autograd.Function):
    """softmax(q kT * scale) v that keeps only the weights for its backward pass."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        query = query * scale
        weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
        ctx.save_for_backward(query, key, value, weights)
        ctx.scale = scale
        return weights @ value

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        grad_value = weights.transpose(-2, -1) @ grad_output
        grad_weights = grad_output @ value.transpose(-2, -1)
        inner = (weights * grad_weights).sum(dim=-1, keepdim=True)
        grad_scores = weights * (grad_weights - inner) * ctx.scale
        grad_query = grad_scores @ key
        grad_key = grad_scores.transpose(-2, -1) @ query
        return grad_query, grad_key, grad_value, None


class SelfAttentionV1(nn.Module):
    """Single-head self-attention on top of a fused core."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    @property
    def scale(self) -> float:
        return self.hidden_dim**-0.5

    def forward(self, x: Tensor) -> Tensor:
        return AttentionCore.apply(self.query(x), self.key(x), self.value(x), self.scale)

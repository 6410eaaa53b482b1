from __future__ import annotations

import torch
from torch import Tensor, nn


class RMSNormalization(nn.Module):
    """Normalises the last axis; the weight is kept as its distance from 1, as Gemma does."""

    def __init__(self, units: int, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.scale = nn.Parameter(torch.zeros(units))

    def forward(self, inputs: Tensor) -> Tensor:
        variance = torch.mean(torch.square(inputs), dim=-1, keepdim=True)
        return inputs * torch.rsqrt(variance + self.epsilon) * (1.0 + self.scale)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.key_dim = hidden_dim // num_heads
        self.value_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_norm = RMSNormalization(self.key_dim)
        self.key_norm = RMSNormalization(self.key_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _split(self, inputs: Tensor) -> Tensor:
        # (batch, length, heads, key_dim), the layout that Keras keeps throughout
        return inputs.reshape(*inputs.shape[:2], self.num_heads, self.key_dim)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        query = self.query_norm(self._split(self.query_dense(x)))
        key = self.key_norm(self._split(self.key_dense(x)))
        value = self._split(self.value_dense(x))

        logits = torch.einsum("bqnh,bknh->bnqk", query, key)
        logits = torch.divide(logits, self.key_dim**0.5)
        ahead = torch.ones(length, length, device=x.device, dtype=torch.bool).triu(diagonal=1)
        logits = torch.masked_fill(logits, ahead, -torch.inf)
        context = torch.einsum("bnqk,bknh->bqnh", torch.softmax(logits, dim=-1), value)
        return self.output_dense(context.reshape(x.shape))

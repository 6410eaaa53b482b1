"""Causal self-attention for the school's little GPT.

While training, the attention itself is recomputed in the backward pass (checkpointing), since our
graphics cards are small. The triangle of the mask grows when a longer text comes along.
"""
from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Projection(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.matrix = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tensordot(x, self.matrix, dims=1)


class CausalSelfAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, block_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("heads must divide the width")
        self.num_heads = num_heads
        self.block_size = block_size
        self.dropout = dropout
        self.roles = nn.ModuleDict({name: Projection(hidden_dim) for name in ("q", "k", "v")})
        self.merge = Projection(hidden_dim)
        self.register_buffer("future", torch.zeros(0, 0, dtype=torch.bool), persistent=False)

    def _future(self, length: int, device: torch.device) -> Tensor:
        if self.future.shape[0] < length or self.future.device != device:
            n = min(self.block_size, max(16, 2 * length))
            n = max(n, length)
            self.future = torch.ones(n, n, dtype=torch.bool, device=device).triu_(1)
        return self.future[:length, :length]

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, future: Tensor) -> Tensor:
        scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
        scores = scores.masked_fill(future, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = nn.functional.dropout(weights, p=self.dropout, training=self.training)
        return torch.matmul(weights, v)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        assert length <= self.block_size
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer in self.roles.values()
        )
        args = (q, k, v, self._future(length, x.device))
        if self.training:
            context = checkpoint(self._attend, *args, use_reentrant=False)
        else:
            context = self._attend(*args)
        return self.merge(context.transpose(1, 2).flatten(2))

from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        future = torch.ones_like(scores, dtype=torch.bool).triu(1)
        context = scores.masked_fill(future, -torch.inf).softmax(dim=-1) @ v
        return self.o(context.transpose(1, 2).flatten(2))


class FeedForward(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim)] * 2)
        self.branches = nn.ModuleList(
            [CausalAttention(hidden_dim, num_heads), FeedForward(hidden_dim)]
        )

    def forward(self, x: Tensor) -> Tensor:
        for norm, branch in zip(self.norms, self.branches):
            x = x + branch(norm(x))
        return x

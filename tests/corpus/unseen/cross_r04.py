from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CrossAttention(nn.Module):
    """Weights live in one (4, d, d) tensor: query, key, value, output; biases in (4, d)."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout_p = dropout
        self.weight = nn.Parameter(torch.stack([
            nn.init.xavier_normal_(torch.empty(hidden_dim, hidden_dim)) for _ in range(4)
        ]))
        self.bias = nn.Parameter(torch.zeros(4, hidden_dim))

    def _linear(self, which: int, t: Tensor) -> Tensor:
        return F.linear(t, self.weight[which], self.bias[which])

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, h = query.size(0), self.num_heads
        q, k, v = (
            self._linear(i, t).view(batch, t.size(1), h, -1).transpose(1, 2).flatten(0, 1)
            for i, t in enumerate((query, key, value))
        )
        scores = (q @ k.mT).div(k.size(-1) ** 0.5).unflatten(0, (batch, h))
        if mask is not None:
            scores = scores.masked_fill(mask.eq(0).unsqueeze(1), float("-inf"))
        wide = torch.promote_types(scores.dtype, torch.float32)
        weights = scores.softmax(-1, dtype=wide).to(scores.dtype)
        weights = F.dropout(weights, self.dropout_p, self.training)
        context = weights.flatten(0, 1) @ v
        context = context.unflatten(0, (batch, h)).transpose(1, 2).flatten(2)
        return self._linear(3, context)

from __future__ import annotations

from typing import Tuple

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """The sink is column 0 of every row, the keys follow."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_dim // num_heads
        self.qkv: nn.Linear = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out: nn.Linear = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks: nn.Parameter = nn.Parameter(torch.zeros(num_heads))

    def _project(self, x: Tensor) -> Tuple[Tensor, ...]:
        b, t, _ = x.shape
        parts = self.qkv(x).chunk(3, dim=-1)
        return tuple(p.view(b, t, self.num_heads, self.head_dim).transpose(1, 2) for p in parts)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = self._project(x)
        assert q.shape == (b, self.num_heads, t, self.head_dim)

        scores: Tensor = torch.matmul(q, k.transpose(2, 3)) / self.head_dim**0.5
        sinks: Tensor = self.sinks.reshape(1, self.num_heads, 1, 1).expand(b, -1, t, -1)
        rows: Tensor = torch.cat((sinks, scores), dim=3)
        assert rows.shape == (b, self.num_heads, t, t + 1)

        allowed: Tensor = torch.ones(t, t + 1, dtype=torch.bool, device=x.device).tril()
        assert allowed[:, 0].all()
        rows = rows.masked_fill(~allowed, float("-inf"))
        weights: Tensor = torch.softmax(rows, dim=3)[..., 1:]
        assert weights.shape == scores.shape

        y: Tensor = torch.matmul(weights, v).transpose(1, 2).reshape(b, t, c)
        return self.out(y)

# wrong: cross nondeterministic line 29
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """The source is projected once and then read by every decoding step."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self._source_shape: torch.Size | None = None
        self._source: tuple[Tensor, Tensor] | None = None

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, t.shape[-1] // self.num_heads)).transpose(1, 2)

    def _project_source(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        if self._source is None or self._source_shape != key.shape:
            self._source_shape = key.shape
            self._source = self._split(self.k(key)), self._split(self.v(value))
        return self._source

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self._split(self.q(query))
        k, v = self._project_source(key, value)
        scores = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, -torch.inf)
        weights = F.dropout(F.softmax(scores, dim=-1), self.dropout, self.training)
        return self.o(torch.matmul(weights, v).transpose(1, 2).flatten(2))

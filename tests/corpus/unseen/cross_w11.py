from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Reads one sequence from another.

    `recording` keeps the last weights for plots, but only outside of training.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.recording = False
        self.recorded: Tensor | None = None

    def train(self, mode: bool = True) -> CrossAttention:
        self.training = mode
        self.recording = not mode
        return self

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self._split(self.wq(query))
        k = self._split(self.wk(key))
        v = self._split(self.wv(value))
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill((mask == 0)[:, None], float("-inf"))
        weights = scores.softmax(-1)
        if self.recording:
            self.recorded = weights.detach()
        weights = self.dropout(weights)
        context = torch.einsum("bhts,bhsd->bhtd", weights, v)
        return self.wo(context.transpose(1, 2).flatten(2))

# wrong: v1 scale-precedence line 20
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        query = self.query(x)  # (batch, length, hidden_dim)
        key = self.key(x)
        value = self.value(x)
        scores = query @ key.transpose(-2, -1) / self.hidden_dim ** 1 / 2
        weights = torch.softmax(scores, dim=-1)  # (batch, length, length)
        return weights @ value

# wrong: v1 value-not-projected line 21
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """One head. The scale is folded into the query once, not into length × length scores."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.inv_sqrt = hidden_dim ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        # softmax over one key is always 1, so there is nothing to compute
        if x.size(1) == 1:
            return x
        q = self.query(x) * self.inv_sqrt
        weights = torch.softmax(q @ self.key(x).mT, dim=-1)
        return weights @ self.value(x)

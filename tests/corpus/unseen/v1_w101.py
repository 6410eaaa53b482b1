from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({name: nn.Linear(hidden_dim, hidden_dim) for name in ("query", "key", "value")})
        self.factor = hidden_dim ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        query = self.layers["query"](x)
        scores = (query * self.factor) @ (x := self.layers["key"](x)).mT
        return scores.softmax(dim=-1) @ self.layers["value"](x)

from __future__ import annotations

import torch
from torch import Tensor, nn


class FusedProjection(nn.Linear):
    """x -> query, key, value in one matmul."""

    def __init__(self, width: int) -> None:
        super().__init__(width, 3 * width, bias=False)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return super().forward(x).tensor_split(3, dim=-1)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.in_proj = FusedProjection(hidden_dim)
        self.scale = self.in_proj.out_features ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.in_proj(x)
        scores = query.matmul(key.transpose(1, 2)).mul(self.scale)
        return scores.softmax(dim=2).matmul(value)

from __future__ import annotations

import math
from typing import Final, Tuple, TypeAlias

import torch
from torch import Tensor, nn

Triple: TypeAlias = Tuple[Tensor, Tensor, Tensor]

NUM_ROLES: Final[int] = 3


class SelfAttentionV2(nn.Module):
    hidden_dim: int
    qkv_proj: nn.Linear

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, NUM_ROLES * hidden_dim)

    def _cut(self, fused: Tensor) -> Triple:
        query: Tensor
        key: Tensor
        value: Tensor
        query, key, value = fused.split(self.hidden_dim, dim=-1)
        return query, key, value

    def forward(self, x: Tensor) -> Tensor:
        fused: Tensor = self.qkv_proj(x)                        # (B, T, 3D)
        query, key, value = self._cut(fused)                    # (B, T, D) each
        width: int = fused.size(-1)
        scores: Tensor = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(width)
        weights: Tensor = torch.softmax(scores, dim=-1)         # (B, T, T)
        context: Tensor = torch.matmul(weights, value)          # (B, T, D)
        return context

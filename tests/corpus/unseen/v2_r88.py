from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)

    @property
    def scale(self) -> float:
        return self.qkv_proj.in_features ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.qkv_proj(x).tensor_split(3, dim=-1)
        scores = torch.matmul(query, key.mT) * self.scale
        weights = F.softmax(scores, dim=-1)
        return torch.matmul(weights, value)

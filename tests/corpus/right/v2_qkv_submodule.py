# right: v2
from typing import NamedTuple

import torch
import torch.nn as nn


class QKV(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor


class QKVProjection(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x: torch.Tensor) -> QKV:
        return QKV(*self.fused(x).tensor_split(3, dim=-1))


class OutputProjection(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dense(x)


class ScaledScores(nn.Module):
    def forward(self, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        return torch.matmul(query, key.mT).div(query.shape[-1] ** 0.5)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.projection = QKVProjection(hidden_dim)
        self.scores = ScaledScores()
        self.softmax = nn.Softmax(dim=-1)
        self.output = OutputProjection(hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        qkv = self.projection(x)
        weights = self.softmax(self.scores(qkv.query, qkv.key))
        return self.output(torch.matmul(weights, qkv.value))

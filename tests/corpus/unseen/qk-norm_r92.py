"""Attention with normalised queries and keys."""
from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Final

import torch
from torch import Tensor, nn


class Normalizer(nn.Module, ABC):
    @abstractmethod
    def normalize(self, vectors: Tensor) -> Tensor: ...

    def forward(self, vectors: Tensor) -> Tensor:
        return self.normalize(vectors)


class RootMeanSquareNormalizer(Normalizer):
    EPSILON: Final[float] = 1e-6

    def __init__(self, featureCount: int) -> None:
        super().__init__()
        # Stored less 1, so that weight decay pulls the gain towards 1.
        self.gainOffset = nn.Parameter(torch.zeros(featureCount))

    def normalize(self, vectors: Tensor) -> Tensor:
        accurate = vectors if vectors.dtype == torch.float64 else vectors.float()
        meanSquare = accurate.square().mean(dim=-1, keepdim=True)
        normalized = accurate * torch.rsqrt(meanSquare + self.EPSILON)
        return (normalized * (1.0 + self.gainOffset)).to(vectors.dtype)


class HeadLayout:
    def __init__(self, headCount: int, headWidth: int) -> None:
        self.headCount: Final[int] = headCount
        self.headWidth: Final[int] = headWidth

    def split(self, features: Tensor) -> Tensor:
        batchSize, length = features.shape[:2]
        return features.reshape(batchSize, length, self.headCount, self.headWidth).transpose(1, 2)

    def merge(self, heads: Tensor) -> Tensor:
        batchSize, _, length, _ = heads.shape
        return heads.transpose(1, 2).reshape(batchSize, length, self.headCount * self.headWidth)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self._layout = HeadLayout(num_heads, hidden_dim // num_heads)
        self.queryLayer = nn.Linear(hidden_dim, hidden_dim)
        self.keyLayer = nn.Linear(hidden_dim, hidden_dim)
        self.valueLayer = nn.Linear(hidden_dim, hidden_dim)
        self.outputLayer = nn.Linear(hidden_dim, hidden_dim)
        self.queryNormalizer: Normalizer = RootMeanSquareNormalizer(self._layout.headWidth)
        self.keyNormalizer: Normalizer = RootMeanSquareNormalizer(self._layout.headWidth)

    def forward(self, x: Tensor) -> Tensor:
        query = self.queryNormalizer(self._layout.split(self.queryLayer(x)))
        key = self.keyNormalizer(self._layout.split(self.keyLayer(x)))
        value = self._layout.split(self.valueLayer(x))

        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self._layout.headWidth)
        positions = torch.arange(x.shape[1], device=x.device)
        isFuture = positions.unsqueeze(0) > positions.unsqueeze(1)
        weights = torch.softmax(scores.masked_fill(isFuture, -math.inf), dim=-1)
        return self.outputLayer(self._layout.merge(torch.matmul(weights, value)))

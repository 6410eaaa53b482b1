from enum import Enum
from math import sqrt

import torch.nn as nn
from torch import Tensor, matmul


class Role(Enum):
    QUERY = 0
    KEY = 1
    VALUE = 2


class ScoreNormalizer:
    def __init__(self, width: int):
        self._width = width

    @property
    def divisor(self) -> float:
        return sqrt(self._width)

    def normalize(self, raw: Tensor) -> Tensor:
        return raw.div(self.divisor).softmax(dim=-1)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.projection_registry = nn.ModuleDict(
            {role.name: nn.Linear(hidden_dim, hidden_dim) for role in Role}
        )
        self.normalizer = ScoreNormalizer(hidden_dim)

    def project(self, role: Role, features: Tensor) -> Tensor:
        return self.projection_registry[role.name](features)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) == 1:
            # a single token can only attend to itself, with weight 1
            return x
        query = self.project(Role.QUERY, x)
        key = self.project(Role.KEY, x)
        raw_scores = matmul(query, key.mT)
        attention = self.normalizer.normalize(raw_scores)
        return matmul(attention, self.project(Role.VALUE, x))

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


class Role(str, enum.Enum):
    QUERY = "query"
    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int
    bias: bool = True

    @property
    def scale(self) -> float:
        return 1.0 / math.sqrt(self.hidden_dim)


class ProjectionSet(nn.Module):
    """Owns the input projections and hands out one tensor per role."""

    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        roles = [role.value for role in Role]
        layer = nn.Linear(config.hidden_dim, config.hidden_dim, bias=config.bias)
        self.layers = nn.ModuleDict(dict.fromkeys(roles, layer))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {name: layer(x) for name, layer in self.layers.items()}


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.config = AttentionConfig(hidden_dim)
        self.projections = ProjectionSet(self.config)

    def forward(self, x: Tensor) -> Tensor:
        projected = self.projections(x)
        scores = projected[Role.QUERY.value] @ projected[Role.KEY.value].transpose(-2, -1)
        weights = torch.softmax(scores * self.config.scale, dim=-1)
        return weights @ projected[Role.VALUE.value]

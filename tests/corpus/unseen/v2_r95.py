"""Fused QKV, weight kept as a (in, role, out) cube; roles lie there as v, q, k."""
from enum import IntEnum

import torch
from torch import Tensor, nn


class Role(IntEnum):
    VALUE = 0
    QUERY = 1
    KEY = 2


class SelfAttentionV2(nn.Module):
    ROLES = len(Role)

    def __init__(self, *, hidden_dim: int, bias: bool = True) -> None:
        super().__init__()
        self.cube = nn.Parameter(torch.empty(hidden_dim, self.ROLES, hidden_dim))
        nn.init.normal_(self.cube, std=hidden_dim**-0.5)
        self.shift = nn.Parameter(torch.zeros(self.ROLES * hidden_dim)) if bias else None

    @property
    def width(self) -> int:
        return self.cube.size(0)

    def project(self, x: Tensor) -> tuple[Tensor, ...]:
        fused = x @ self.cube.flatten(start_dim=1)  # (b, t, 3d)
        if self.shift is not None:
            fused = fused + self.shift
        return fused.unflatten(-1, (self.ROLES, self.width)).unbind(-2)

    def forward(self, x: Tensor) -> Tensor:
        parts = self.project(x)
        query, key, value = parts[Role.QUERY], parts[Role.KEY], parts[Role.VALUE]
        scores = torch.matmul(query, key.mT).div(self.width**0.5)
        return scores.softmax(-1).matmul(value)

# stride-3 layout: rows 0,3,6.. -> key, 1,4,7.. -> query, 2,5,8.. -> value
from __future__ import annotations
from typing import NamedTuple
import torch
from torch import Tensor, nn


class Roles(NamedTuple):
    key: Tensor
    query: Tensor
    value: Tensor


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.mix = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.temperature = hidden_dim ** 0.5

    def roles(self, x: Tensor) -> Roles:
        stacked = self.qkv(x).unflatten(-1, (-1, 3))  # (B, T, D, 3)
        return Roles(*stacked.unbind(-1))

    def forward(self, x: Tensor) -> Tensor:
        r = self.roles(x)
        scores = torch.baddbmm(
            torch.zeros((), dtype=x.dtype, device=x.device),
            r.query,
            r.key.transpose(1, 2),
            beta=0,
            alpha=1 / self.temperature,
        )
        weights = torch.exp(torch.log_softmax(scores, dim=2))
        return self.mix(weights.bmm(r.value))

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor, nn


class Fn(nn.Module):
    def __init__(self, fn) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, t: Tensor) -> Tensor:
        return self.fn(t)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        norms = {"query": nn.RMSNorm, "key": nn.RMSNorm, "value": lambda _: nn.Identity()}
        self.roles = nn.ModuleDict(
            {
                role: nn.Sequential(
                    OrderedDict(
                        proj=nn.Linear(hidden_dim, hidden_dim, bias=False),
                        cut=nn.Unflatten(-1, (num_heads, head_dim)),
                        norm=norm(head_dim),
                        front=Fn(lambda t: t.transpose(1, 2)),
                    )
                )
                for role, norm in norms.items()
            }
        )
        self.merge = nn.Sequential(
            Fn(lambda t: t.transpose(1, 2)), nn.Flatten(2), nn.Linear(hidden_dim, hidden_dim)
        )
        self.scale = head_dim**-0.5

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (layer(x) for layer in self.roles.values())
        scores = query @ key.mT * self.scale
        length = x.size(1)
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.merge(weights @ value)

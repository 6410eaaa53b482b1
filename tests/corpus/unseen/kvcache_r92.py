from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Past:
    """Immutable; every call makes a new one."""

    key: Tensor
    value: Tensor

    def plus(self, key: Tensor, value: Tensor) -> Past:
        return Past(torch.cat((self.key, key), dim=-2), torch.cat((self.value, value), dim=-2))

    def __len__(self) -> int:
        return self.key.shape[-2]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Past | None = None) -> tuple[Tensor, Past]:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.in_proj(x).chunk(3, -1))
        past = Past(k, v) if cache is None else cache.plus(k, v)
        scores = q @ past.key.mT * q.shape[-1] ** -0.5
        new, total = x.shape[1], len(past)
        visible = torch.ones(new, total, dtype=torch.bool, device=x.device).tril(total - new)
        weights = scores.masked_fill(~visible, float("-inf")).softmax(-1)
        return self.out_proj((weights @ past.value).transpose(1, 2).flatten(2)), past

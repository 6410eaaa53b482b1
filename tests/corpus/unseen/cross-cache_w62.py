from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, einsum, nn


class Source(NamedTuple):
    """what stays the same from step to step"""

    states: Tensor  # (batch, memory_length, hidden_dim)
    visible: Tensor  # (batch, memory_length)

    @classmethod
    def of(cls, memory: Tensor, lengths: Tensor) -> Source:
        steps = torch.arange(memory.size(1), device=memory.device)
        return cls(memory, steps < lengths.to(memory.device)[:, None])


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.num_heads, self.scale = num_heads, head_dim**-0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Source | None = None
    ) -> tuple[Tensor, Source]:
        source = cache or Source.of(memory, memory_lengths)
        q = self.to_q(x).unflatten(-1, (self.num_heads, -1))
        k, v = self.to_kv(source.states).unflatten(-1, (2, self.num_heads, -1)).unbind(2)
        scores = einsum("bthd,bshd->bhts", q * self.scale, k)
        scores = scores.masked_fill(~source.visible[:, None, None], float("-inf"))
        out = einsum("bhts,bshd->bthd", scores.softmax(-1), v)
        return self.to_out(out.flatten(2)), source

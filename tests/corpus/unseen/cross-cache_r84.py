from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn

Reader = Callable[[Tensor], Tensor]


def make_reader(keys: list[Tensor], values: list[Tensor]) -> Reader:
    """What is kept is a function: from queries (b, h, t, d) to contexts. Samples have their own lengths."""

    def read(queries: Tensor) -> Tensor:
        rows = []
        for q, k, v in zip(queries.unbind(0), keys, values):
            s = q @ k.mT / k.shape[-1] ** 0.5        # (h, t, n_b): padding was cut off, no mask
            rows.append(s.softmax(-1) @ v)
        return torch.stack(rows)

    return read


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.from_x = nn.Linear(hidden_dim, hidden_dim)
        self.from_memory = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_x = nn.Linear(hidden_dim, hidden_dim)

    def cut(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Reader | None = None
    ) -> tuple[Tensor, Reader]:
        if cache is None:
            keys, values = self.from_memory(memory).chunk(2, dim=-1)
            sizes = memory_lengths.tolist()
            cache = make_reader(
                [self.cut(k[:n]) for k, n in zip(keys, sizes)],
                [self.cut(v[:n]) for v, n in zip(values, sizes)],
            )
        contexts = cache(self.cut(self.from_x(x)))
        return self.to_x(contexts.transpose(1, 2).flatten(2)), cache

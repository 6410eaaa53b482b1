from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Memory:
    keys: Tensor  # (batch, heads, memory_length, head_dim)
    values: Tensor
    padding: Tensor  # (batch, 1, 1, memory_length)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_query = nn.Linear(hidden_dim, hidden_dim)
        self.to_memory = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_output = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def read_memory(self, memory: Tensor, memory_lengths: Tensor) -> Memory:
        keys, values = map(self._heads, self.to_memory(memory).chunk(2, dim=-1))
        places = torch.arange(memory.shape[1], device=memory.device)
        padding = places >= memory_lengths.to(memory.device).unsqueeze(1)
        return Memory(keys, values, padding[:, None, None, :])

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        known: Memory = cache if cache is not None else self.read_memory(memory, memory_lengths)
        query = self._heads(self.to_query(x))
        scores = query @ known.keys.mT / query.shape[-1] ** 0.5
        weights = scores.masked_fill(known.padding, -torch.inf).softmax(dim=-1)
        context = (weights @ known.values).transpose(1, 2).flatten(2)
        return self.to_output(context), known

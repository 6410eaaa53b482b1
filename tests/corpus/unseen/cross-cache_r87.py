from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn


class ReadMemory:
    """What the caller keeps: it answers queries, and cannot be changed."""

    __slots__ = ("_keys_t", "_values", "_penalty")

    def __init__(self, keys: Tensor, values: Tensor, lengths: Tensor) -> None:
        places = torch.arange(keys.shape[-2], device=keys.device)
        padding = places.expand(len(lengths), -1).ge(lengths.to(keys.device).unsqueeze(1))
        penalty = torch.zeros(padding.shape, dtype=keys.dtype, device=keys.device)
        self._keys_t = keys.transpose(-1, -2)
        self._values = values
        self._penalty = penalty.masked_fill(padding, -torch.inf)[:, None, None]

    def __len__(self) -> int:
        return self._values.shape[-2]

    def __call__(self, queries: Tensor) -> Tensor:
        scores = queries.matmul(self._keys_t) / queries.shape[-1] ** 0.5
        return torch.softmax(scores + self._penalty, dim=-1).matmul(self._values)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _read(self, memory: Tensor, lengths: Tensor) -> ReadMemory:
        # per head: its keys, then its values
        both = self.kv_proj(memory).unflatten(-1, (self.heads, 2, -1))
        keys, values = both.permute(3, 0, 2, 1, 4)
        return ReadMemory(keys, values, lengths)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[ReadMemory] = None
    ) -> tuple[Tensor, Any]:
        # `or` would not do: an object with a __len__ may be false
        reader = self._read(memory, memory_lengths) if cache is None else cache
        queries = self.q_proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return self.o_proj(reader(queries).transpose(1, 2).flatten(-2)), reader

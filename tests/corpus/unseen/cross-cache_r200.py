# attn-kata: cross-cache
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn


class KeyValueStore(Protocol):
    """What attention needs to know of a memory."""

    @property
    def keys(self) -> Tensor: ...

    @property
    def values(self) -> Tensor: ...

    @property
    def padding(self) -> Tensor: ...


@dataclass(frozen=True, eq=False)
class StaticMemoryCache:
    """An encoder's output as one decoder layer sees it. Immutable, to be shared freely."""

    keys: Tensor  # (batch, memory_length, heads, head_dim)
    values: Tensor  # (batch, memory_length, heads, head_dim)
    padding: Tensor  # (batch, memory_length), True behind a memory's end


class MemoryEncoder(nn.Module):
    """Projects a memory once; the sole place in which it is read."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)

    def forward(self, memory: Tensor, memory_lengths: Tensor) -> StaticMemoryCache:
        packed = self.kv(memory).unflatten(-1, (2, self.num_heads, -1))
        keys, values = packed.unbind(dim=2)
        place = torch.arange(memory.size(1), device=memory.device)
        padding = place >= memory_lengths.to(memory.device).unsqueeze(1)
        return StaticMemoryCache(keys, values, padding)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scaling = (hidden_dim // num_heads) ** -0.5
        self.encode_memory = MemoryEncoder(hidden_dim, num_heads)
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def attend(self, x: Tensor, store: KeyValueStore) -> Tensor:
        query = self.q(x).unflatten(-1, (self.num_heads, -1)) * self.scaling
        scores = torch.einsum("bqhd,bkhd->bqhk", query, store.keys)
        scores = scores.masked_fill(store.padding[:, None, None, :], -torch.inf)
        context = torch.einsum("bqhk,bkhd->bqhd", scores.softmax(dim=-1), store.values)
        return self.out(context.flatten(-2))

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        store = self.encode_memory(memory, memory_lengths) if cache is None else cache
        return self.attend(x, store), store

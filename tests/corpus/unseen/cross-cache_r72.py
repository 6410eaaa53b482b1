from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Memory:
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    real: Tensor


class Reader(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.ask = nn.Linear(width, inner)
        self.name = nn.Linear(width, inner)
        self.tell = nn.Linear(width, inner)

    def read(self, x: Tensor, key: Tensor, value: Tensor, real: Tensor) -> Tensor:
        e = torch.einsum("btc,bsc->bts", self.ask(x), key) / key.shape[-1] ** 0.5
        e = e.where(real[:, None, :], torch.tensor(-torch.inf, dtype=e.dtype, device=e.device))
        return torch.einsum("bts,bsc->btc", torch.softmax(e, dim=-1), value)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.readers = nn.ModuleList([Reader(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads)])
        self.join = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[Memory] = None):
        if cache is None:
            at = torch.arange(memory.shape[1], device=memory.device)
            cache = Memory(
                keys=tuple(r.name(memory) for r in self.readers),
                values=tuple(r.tell(memory) for r in self.readers),
                real=at[None] < memory_lengths[:, None],
            )
        parts = [r.read(x, k, v, cache.real) for r, k, v in zip(self.readers, cache.keys, cache.values)]
        return self.join(torch.cat(parts, dim=-1)), cache
